// Reads a file of length-prefixed strings with variable-length numbers, as protocol buffers have them.
use std::fs::File;
use std::io::{self, BufReader, Read, Write};

fn put_number(out: &mut Vec<u8>, mut n: u64) {
    while n >= 128 {
        out.push(n as u8 | 128);
        n >>= 7;
    }
    out.push(n as u8);
}

struct Reader<R: Read> {
    bytes: io::Bytes<R>,
    read: u64,
}

impl<R: Read> Reader<R> {
    fn byte(&mut self) -> io::Result<Option<u8>> {
        self.read += 1;
        self.bytes.next().transpose()
    }

    fn number(&mut self) -> io::Result<Option<u64>> {
        let (mut n, mut shift) = (0u64, 0);
        while let Some(b) = self.byte()? {
            n |= ((b & 127) as u64) << shift;
            if b < 128 {
                return Ok(Some(n));
            }
            shift += 7;
        }
        Ok(None)
    }

    fn text(&mut self) -> io::Result<Option<(u64, usize)>> {
        let Some(length) = self.number()? else {
            return Ok(None);
        };
        let mut hash = 14695981039346656037u64;
        let mut letters = Vec::new(); //WHOLE
        for _ in 0..length {
            let b = self.byte()?.ok_or(io::ErrorKind::UnexpectedEof)?;
            letters.push(b); //WHOLE
        } //WHOLE
        for b in letters { //WHOLE
            hash = (hash ^ b as u64).wrapping_mul(1099511628211);
        }
        Ok(Some((hash, length as usize)))
    }
}

fn write_file(path: &std::path::Path, count: u64) -> io::Result<()> {
    let mut out = Vec::new();
    for i in 0..count {
        let text = format!("record {} of the archive", i * i);
        put_number(&mut out, i * 977);
        put_number(&mut out, text.len() as u64);
        out.extend_from_slice(text.as_bytes());
    }
    File::create(path)?.write_all(&out)
}

fn main() -> io::Result<()> {
    let path = std::env::temp_dir().join(format!("chunks-{}", std::process::id()));
    write_file(&path, 12000)?;
    let (mut sum, mut letters) = (0u64, 0);
    for _ in 0..400 {
        let file = BufReader::new(File::open(&path)?); //-SMALL
        let file = BufReader::with_capacity(256, File::open(&path)?); //SMALL
        let mut reader = Reader { bytes: file.bytes(), read: 0 };
        while let Some(id) = reader.number()? {
            let (hash, length) = reader.text()?.unwrap();
            sum = sum.wrapping_mul(31) ^ hash ^ id;
            letters += length;
        }
    }
    std::fs::remove_file(&path)?;
    println!("{letters} letters, {sum:016x}");
    Ok(())
}
