// A splay tree whose nodes come and go, each with a payload: allocation, pointers, garbage.
function Node(key, payload) {
  this.key = key;
  this.payload = payload;
  this.left = null;
  this.right = null;
}

function payload(depth, tag) {
  if (depth === 0) return { values: [0, 1, 2, 3, 4, 5, 6, 7], text: "leaf " + tag };
  return { left: payload(depth - 1, tag), right: payload(depth - 1, tag) };
}

// Brings the node with that key, or the last on the way to it, to the root.
function splay(root, key) {
  if (root === null) return null;
  var header = new Node(0, null), left = header, right = header, node = root, child;
  for (;;) {
    if (key < node.key) {
      if (node.left === null) break;
      if (key < node.left.key) {
        child = node.left;
        node.left = child.right;
        child.right = node;
        node = child;
        if (node.left === null) break;
      }
      right.left = node;
      right = node;
      node = node.left;
    } else if (key > node.key) {
      if (node.right === null) break;
      if (key > node.right.key) {
        child = node.right;
        node.right = child.left;
        child.left = node;
        node = child;
        if (node.right === null) break;
      }
      left.right = node;
      left = node;
      node = node.right;
    } else break;
  }
  left.right = node.left;
  right.left = node.right;
  node.left = header.right;
  node.right = header.left;
  return node;
}

function insert(root, key) {
  root = splay(root, key);
  if (root !== null && root.key === key) return root;
  var node = new Node(key, payload(3, key));
  if (root === null) return node;
  if (key > root.key) {
    node.left = root;
    node.right = root.right;
    root.right = null;
  } else {
    node.right = root;
    node.left = root.left;
    root.left = null;
  }
  return node;
}

function remove(root, key) {
  root = splay(root, key);
  if (root === null || root.key !== key) return root;
  if (root.left === null) return root.right;
  var left = splay(root.left, key);
  left.right = root.right;
  return left;
}

function total(node) {
  for (var sum = 0, rest = [node]; rest.length > 0; ) {
    var n = rest.pop();
    if (n === null) continue;
    sum = (sum * 3 + n.key + n.payload.left.right.left.values[5]) % 1000003;
    rest.push(n.left, n.right);
  }
  return sum;
}

var root = null, keys = [], seed = 42;
function draw() { return (seed = (seed * 16807) % 2147483647); }
for (var i = 0; i < 1500; i++) {
  keys.push(draw());
  root = insert(root, keys[i]);
}
for (i = 0; i < 6000; i++) {
  var slot = draw() % keys.length;
  root = remove(root, keys[slot]);
  keys[slot] = draw();
  root = insert(root, keys[slot]);
}
var sum = total(root);
if (String(sum) !== "570867") throw new Error(sum);
