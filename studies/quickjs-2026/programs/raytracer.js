// Spheres over a chequered floor, with shadows and reflections: floating point numbers in short-lived objects.
function Vector(x, y, z) {
  this.x = x;
  this.y = y;
  this.z = z;
}
Vector.prototype.plus = function (v) { return new Vector(this.x + v.x, this.y + v.y, this.z + v.z); };
Vector.prototype.minus = function (v) { return new Vector(this.x - v.x, this.y - v.y, this.z - v.z); };
Vector.prototype.times = function (f) { return new Vector(this.x * f, this.y * f, this.z * f); };
Vector.prototype.dot = function (v) { return this.x * v.x + this.y * v.y + this.z * v.z; };
Vector.prototype.unit = function () { return this.times(1 / Math.sqrt(this.dot(this))); };

function Ray(from, along) {
  this.from = from;
  this.along = along;
}
Ray.prototype.at = function (distance) { return this.from.plus(this.along.times(distance)); };

function Sphere(centre, radius, colour, mirror) {
  this.centre = centre;
  this.radius = radius;
  this.colour = colour;
  this.mirror = mirror;
}
Sphere.prototype.meets = function (ray) {
  var to = this.centre.minus(ray.from), along = to.dot(ray.along);
  var inside = this.radius * this.radius - to.dot(to) + along * along;
  return inside < 0 ? Infinity : along - Math.sqrt(inside);
};
Sphere.prototype.normal = function (point) { return point.minus(this.centre).unit(); };
Sphere.prototype.shade = function () { return this.colour; };

function Floor(height) {
  this.height = height;
  this.mirror = 0.25;
}
Floor.prototype.meets = function (ray) {
  return ray.along.y >= 0 ? Infinity : (this.height - ray.from.y) / ray.along.y;
};
Floor.prototype.normal = function () { return new Vector(0, 1, 0); };
Floor.prototype.shade = function (point) {
  return (Math.floor(point.x) + Math.floor(point.z)) % 2 === 0 ? new Vector(1, 1, 1) : new Vector(0.1, 0.1, 0.2);
};

var light = new Vector(-0.5, 1, -0.7).unit();
var things = [
  new Floor(-1),
  new Sphere(new Vector(0, 0, 5), 1, new Vector(1, 0.2, 0.1), 0.5),
  new Sphere(new Vector(1.7, -0.4, 4), 0.6, new Vector(0.1, 0.9, 0.3), 0.2),
  new Sphere(new Vector(-1.6, -0.3, 4.2), 0.7, new Vector(0.2, 0.3, 1), 0.4),
];

function nearest(ray) {
  var best = null, distance = Infinity;
  things.forEach(function (thing) {
    var d = thing.meets(ray);
    if (d > 1e-4 && d < distance) {
      distance = d;
      best = thing;
    }
  });
  return best === null ? null : { thing: best, distance: distance };
}

function trace(ray, depth) {
  var hit = nearest(ray);
  if (hit === null) return new Vector(0.4, 0.6, 0.9).times(0.5 + 0.5 * ray.along.y);
  var point = ray.at(hit.distance), normal = hit.thing.normal(point);
  var bright = nearest(new Ray(point, light)) === null ? Math.max(0, normal.dot(light)) : 0;
  var colour = hit.thing.shade(point).times(0.2 + 0.8 * bright);
  if (depth === 0) return colour;
  var turned = ray.along.minus(normal.times(2 * normal.dot(ray.along)));
  var seen = trace(new Ray(point, turned), depth - 1);
  return colour.times(1 - hit.thing.mirror).plus(seen.times(hit.thing.mirror));
}

var eye = new Vector(0, 0.3, -1), size = 72, sum = 0;
for (var row = 0; row < size; row++)
  for (var column = 0; column < size; column++) {
    var along = new Vector(column / size - 0.5, 0.5 - row / size, 1).unit();
    var colour = trace(new Ray(eye, along), 3);
    sum += Math.round(255 * colour.x) + 3 * Math.round(255 * colour.y) + 7 * Math.round(255 * colour.z);
  }
if (String(sum) !== "6293942") throw new Error(sum);
