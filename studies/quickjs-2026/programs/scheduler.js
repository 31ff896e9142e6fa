// Tasks with queues that pass packets to each other, as an operating system would: method calls on objects of
// several classes, linked lists, fields.
function Packet(number) {
  this.next = null;
  this.number = number;
  this.hops = 0;
}

function Task(name, priority) {
  this.name = name;
  this.priority = priority;
  this.first = null;
  this.last = null;
  this.handled = 0;
}
Task.prototype.put = function (packet) {
  packet.next = null;
  if (this.last === null) this.first = packet;
  else this.last.next = packet;
  this.last = packet;
};
Task.prototype.take = function () {
  var packet = this.first;
  this.first = packet.next;
  if (this.first === null) this.last = null;
  this.handled++;
  return packet;
};
Task.prototype.ready = function () { return this.first !== null; };

function Worker(name, priority, to) {
  Task.call(this, name, priority);
  this.to = to;
}
Worker.prototype = Object.create(Task.prototype);
Worker.prototype.run = function () {
  var packet = this.take();
  packet.number = (packet.number * 171 + this.priority) % 30269;
  packet.hops++;
  this.to[packet.number % this.to.length].put(packet);
};

function Device(name, priority, owner) {
  Task.call(this, name, priority);
  this.owner = owner;
  this.delay = 0;
}
Device.prototype = Object.create(Task.prototype);
Device.prototype.run = function () {
  if (++this.delay < 3) return;
  this.delay = 0;
  var packet = this.take();
  packet.hops++;
  this.owner.put(packet);
};

function Scheduler(tasks) {
  this.tasks = tasks;
}
Scheduler.prototype.next = function () {
  var best = null;
  for (var i = 0; i < this.tasks.length; i++) {
    var task = this.tasks[i];
    if (task.ready() && (best === null || task.priority > best.priority)) best = task;
  }
  return best;
};
Scheduler.prototype.run = function (steps) {
  for (var i = 0; i < steps; i++) {
    var task = this.next();
    task.run();
    task.priority = (task.priority + 7) % 50;
  }
};

var workers = [], devices = [], packets = [], i;
for (i = 0; i < 4; i++) workers.push(new Worker("worker" + i, 10 + i, []));
for (i = 0; i < 4; i++) devices.push(new Device("device" + i, 20 + i, workers[i]));
for (i = 0; i < 4; i++) workers[i].to = [workers[(i + 1) % 4], devices[i], workers[(i + 2) % 4], devices[3 - i]];
for (i = 0; i < 12; i++) {
  packets.push(new Packet(i + 1));
  workers[i % 4].put(packets[i]);
}
new Scheduler(workers.concat(devices)).run(90000);
var sum = 0;
for (i = 0; i < packets.length; i++) sum += packets[i].number * packets[i].hops;
var handled = workers.concat(devices).map(function (task) { return task.handled; }).join(" ");
var result = sum + " " + handled;
if (result !== "842794278 9020 8941 8940 8984 4496 4513 4468 4560") throw new Error(result);
