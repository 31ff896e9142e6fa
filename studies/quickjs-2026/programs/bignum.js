// Powers modulo a large number by schoolbook arithmetic on limbs of 14 bits: integers in arrays, nested loops.
var BITS = 14, BASE = 1 << BITS;

function fromText(digits) {
  var limbs = [0];
  for (var i = 0; i < digits.length; i++) {
    var carry = digits.charCodeAt(i) - 48;
    for (var j = 0; j < limbs.length; j++) {
      var value = limbs[j] * 10 + carry;
      limbs[j] = value & (BASE - 1);
      carry = value >> BITS;
    }
    if (carry) limbs.push(carry);
  }
  return limbs;
}

function toText(limbs) {
  var digits = "", rest = limbs.slice();
  while (rest.length > 1 || rest[0] !== 0) {
    for (var i = rest.length - 1, carry = 0; i >= 0; i--) {
      var value = carry * BASE + rest[i];
      rest[i] = (value / 10) | 0;
      carry = value % 10;
    }
    digits = carry + digits;
    trim(rest);
  }
  return digits || "0";
}

function trim(limbs) {
  while (limbs.length > 1 && limbs[limbs.length - 1] === 0) limbs.pop();
  return limbs;
}

function compare(a, b) {
  if (a.length !== b.length) return a.length - b.length;
  for (var i = a.length - 1; i >= 0; i--) if (a[i] !== b[i]) return a[i] - b[i];
  return 0;
}

function multiply(a, b) {
  var out = [];
  for (var k = a.length + b.length; k > 0; k--) out.push(0);
  for (var i = 0; i < a.length; i++) {
    var carry = 0, digit = a[i];
    for (var j = 0; j < b.length; j++) {
      var value = out[i + j] + digit * b[j] + carry;
      out[i + j] = value & (BASE - 1);
      carry = value >> BITS;
    }
    out[i + b.length] += carry;
  }
  return trim(out);
}

// The rest of a division, bit by bit of the shifted divisor's limbs.
function remainder(a, m) {
  var rest = [0];
  for (var i = a.length - 1; i >= 0; i--) {
    rest.unshift(a[i]);
    trim(rest);
    while (compare(rest, m) >= 0) {
      var top = rest[rest.length - 1] * (rest.length > m.length ? BASE : 1) +
        (rest.length > m.length ? rest[rest.length - 2] : 0);
      var factor = (top / (m[m.length - 1] + 1)) | 0 || 1;
      var borrow = 0;
      for (var j = 0; j < rest.length; j++) {
        var value = rest[j] - factor * (m[j] || 0) - borrow;
        rest[j] = value & (BASE - 1);
        borrow = -(value >> BITS);
      }
      trim(rest);
    }
  }
  return rest;
}

function power(base, exponent, modulus) {
  var out = [1];
  for (var i = exponent.length * BITS - 1; i >= 0; i--) {
    out = remainder(multiply(out, out), modulus);
    if ((exponent[(i / BITS) | 0] >> i % BITS) & 1) out = remainder(multiply(out, base), modulus);
  }
  return out;
}

// Two Mersenne primes make the modulus; 65537 and its inverse are the exponents.
var modulus = multiply(fromText("162259276829213363391578010288127"), fromText("618970019642690137449562111"));
var secret = fromText("15499423397885381203395986760745292550657831765628692176393");
var message = fromText("31415926535897932384626433832795028841971");
for (var round = 0; round < 3; round++) {
  var sealed = power(message, [1, 4], modulus);
  var opened = power(sealed, secret, modulus);
  if (compare(opened, message) !== 0) throw new Error(toText(sealed) + " " + toText(opened));
}
