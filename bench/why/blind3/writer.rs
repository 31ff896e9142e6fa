// Writes measurements as JSON into one string.

fn escaped(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
}

#[inline(never)]
fn quoted(out: &mut String, text: &str) {
    let mut own = String::with_capacity(text.len() + 2); //FRESH
    own.push('"'); //FRESH
    escaped(&mut own, text); //FRESH
    own.push('"'); //FRESH
    out.push_str(&own); //FRESH
    out.push('"'); //-FRESH
    escaped(out, text); //-FRESH
    out.push('"'); //-FRESH
}

struct Measurement {
    place: &'static str,
    unit: &'static str,
    state: &'static str,
    value: u32,
}

fn written(rows: &[Measurement]) -> String {
    let mut out = String::with_capacity(rows.len() * 80);
    out.push('[');
    for row in rows {
        out.push_str("{\"place\": ");
        quoted(&mut out, row.place);
        out.push_str(", \"unit\": ");
        quoted(&mut out, row.unit);
        out.push_str(", \"state\": ");
        quoted(&mut out, row.state);
        out.push_str(", \"value\": ");
        out.push_str(&row.value.to_string());
        out.push_str("},");
    }
    out.pop();
    out.push(']');
    out
}

fn main() {
    let places = ["Hall", "North \"yard\"", "Roof", "Lab 4"];
    let units = ["mm", "deg", "hPa"];
    let states = ["ok", "late", "a\\b"];
    let rows: Vec<Measurement> = (0..20_000)
        .map(|i| Measurement {
            place: places[i * 7 % 4],
            unit: units[i * 5 % 3],
            state: states[i / 3 % 3],
            value: i as u32 * 37 % 10_000,
        })
        .collect();
    let mut bytes = 0;
    for _ in 0..40 {
        bytes += written(&rows).len();
    }
    println!("{bytes}");
}
