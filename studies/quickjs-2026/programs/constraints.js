// Cells that depend on each other by constraints of several kinds, kept true in topological order: calls of
// methods that depend on the class, growing arrays, many small objects.
function Cell(value) {
  this.value = value;
  this.users = [];
  this.mark = 0;
}

function Constraint(inputs, output) {
  this.inputs = inputs;
  this.output = output;
  this.strength = inputs.length;
  for (var i = 0; i < inputs.length; i++) inputs[i].users.push(this);
}
function Sum(inputs, output) { Constraint.call(this, inputs, output); }
Sum.prototype = Object.create(Constraint.prototype);
Sum.prototype.evaluate = function () {
  for (var i = 0, total = 0; i < this.inputs.length; i++) total += this.inputs[i].value;
  return total % 65521;
};
function Scale(input, output, factor, offset) {
  Constraint.call(this, [input], output);
  this.factor = factor;
  this.offset = offset;
}
Scale.prototype = Object.create(Constraint.prototype);
Scale.prototype.evaluate = function () {
  return (this.inputs[0].value * this.factor + this.offset) % 65521;
};
function Equal(input, output) { Constraint.call(this, [input], output); }
Equal.prototype = Object.create(Constraint.prototype);
Equal.prototype.evaluate = function () { return this.inputs[0].value; };

var round = 0;

function plan(cell, into) {
  if (cell.mark === round) return;
  cell.mark = round;
  for (var i = 0; i < cell.users.length; i++) plan(cell.users[i].output, into);
  for (i = 0; i < cell.users.length; i++) into.push(cell.users[i]);
}

function set(cell, value) {
  var steps = [], changed = 0;
  cell.value = value;
  round++;
  plan(cell, steps);
  for (var i = steps.length - 1; i >= 0; i--) {
    var next = steps[i].evaluate();
    if (next !== steps[i].output.value) changed++;
    steps[i].output.value = next;
  }
  return changed;
}

function chain(length) {
  var first = new Cell(1), last = first;
  for (var i = 0; i < length; i++) {
    var next = new Cell(0);
    if (i % 3 === 0) new Equal(last, next);
    else if (i % 3 === 1) new Scale(last, next, 3, i);
    else new Sum([last, first], next);
    last = next;
  }
  return [first, last];
}

function fan(width) {
  var source = new Cell(0), middle = [], end = new Cell(0);
  for (var i = 0; i < width; i++) {
    middle.push(new Cell(0));
    new Scale(source, middle[i], i + 1, 1);
  }
  new Sum(middle, end);
  return [source, end];
}

var total = 0, changes = 0;
for (var i = 0; i < 12; i++) {
  var long = chain(300), wide = fan(250);
  for (var j = 1; j <= 12; j++) {
    changes += set(long[0], i + j) + set(wide[0], i * j);
    total = (total * 31 + long[1].value + wide[1].value) % 1000003;
  }
}
var result = total + " " + changes;
if (result !== "254552 90983") throw new Error(result);
