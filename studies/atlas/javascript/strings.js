// Strings character by character: a checksum, a reversal and a count of words.
var text = "", i;
for (i = 0; i < 120; i++) text += "the quick brown fox jumps over the lazy dog ";

function checksum(s) {
  var a = 1, b = 0;
  for (var i = 0; i < s.length; i++) {
    a = (a + s.charCodeAt(i)) % 65521;
    b = (b + a) % 65521;
  }
  return b * 65536 + a;
}

function reversed(s) {
  var parts = [];
  for (var i = s.length - 1; i >= 0; i--) parts.push(s.charAt(i));
  return parts.join("");
}

function words(s) {
  var counts = {}, word = "";
  for (var i = 0; i < s.length; i++) {
    var c = s.charAt(i);
    if (c !== " ") { word += c; continue; }
    counts[word] = (counts[word] || 0) + 1;
    word = "";
  }
  return counts;
}

for (i = 0; i < 4; i++) {
  if (checksum(text) !== 2161937442) throw new Error(checksum(text));
  if (reversed(reversed(text)) !== text) throw new Error("reversed");
  if (words(text).the !== 240) throw new Error("words");
}
