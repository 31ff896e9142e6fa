// Lines of a log taken apart, rewritten and counted by regular expressions.
var methods = ["GET", "POST", "PUT", "HEAD"], lines = [], seed = 7, i, j;
function draw(n) {
  seed = (seed * 16807) % 2147483647;
  return seed % n;
}
for (i = 0; i < 300; i++) {
  var path = "";
  for (j = draw(4) + 1; j > 0; j--) path += "/" + ["users", "orders", "img", "api-v2", "index"][draw(5)] + draw(90);
  lines.push(
    [10 + draw(90), draw(256), draw(256), draw(256)].join(".") + " - - [" + (draw(28) + 1) + "/Nov/2026:" +
    (10 + draw(14)) + ":" + (10 + draw(50)) + ":" + (10 + draw(50)) + ' +0000] "' + methods[draw(4)] + " " + path +
    ".html?id=" + draw(100000) + "&name=J%C3%BCrgen+" + draw(10) + ' HTTP/1.1" ' + [200, 301, 404, 500][draw(4)] +
    " " + draw(50000) + ' "Mozilla/5.0 (X11; Linux x86_64)"'
  );
}

var entry = /^(\d+)\.(\d+)\.\d+\.\d+ \S+ \S+ \[([^\]]+)\] "([A-Z]+) ([^ "?]+)(?:\?([^ "]*))? [^"]*" (\d{3}) (\d+)/;
var time = /^(\d{1,2})\/(\w{3})\/(\d{4}):(\d\d):(\d\d):(\d\d)/;
var counts = {}, bytes = 0, seconds = 0, words = 0, escaped = 0;
for (var round = 0; round < 5; round++) {
  for (i = 0; i < lines.length; i++) {
    var m = entry.exec(lines[i]);
    if (m === null) throw new Error(lines[i]);
    var key = m[4] + m[7];
    counts[key] = (counts[key] || 0) + 1;
    bytes += +m[8];
    var t = time.exec(m[3]);
    seconds += t[4] * 3600 + t[5] * 60 + +t[6];
    escaped += m[6].replace(/%([0-9A-F]{2})/g, function (all, hex) {
      return String.fromCharCode(parseInt(hex, 16));
    }).length;
    words += m[5].split(/[\/.-]+/).length;
    if (/(?:^|\/)(?:img|index)\d*[02468](?:\/|\.)/i.test(m[5])) words += 1000;
    words += lines[i].replace(/\s+/g, " ").replace(/[aeiou]+/gi, "*").length;
  }
}
var result = [Object.keys(counts).length, bytes, seconds, words, escaped].join(" ");
if (result !== "16 38643310 92613365 890355 34330") throw new Error(result);
