// The modules as a tree, made from the parameters' names; what a module shows is summed up from its parameters.
const WORST = ['bad', 'other', 'frozen', 'good'];

function makeTree(params) {
  const root = {name: '', full: '', children: new Map(), params: [], kinds: {}};
  for (const param of params) {
    const parts = param.name.split('.');
    let node = root;
    for (const part of parts.slice(0, -1)) {
      let child = node.children.get(part);
      if (!child) {
        child = {name: part, full: node.full ? `${node.full}.${part}` : part, children: new Map(), params: [], kinds: {}};
        node.children.set(part, child);
      }
      node = child;
    }
    node.params.push({param, name: parts[parts.length - 1], full: param.name});
  }
  return sum(merged(root));
}

// A module that holds one module and nothing else is shown together with it.
function merged(node) {
  for (const [name, child] of node.children) node.children.set(name, merged(child));
  const only = node.children.size === 1 && !node.params.length && [...node.children.values()][0];
  return only && node.full ? Object.assign(only, {name: `${node.name}.${only.name}`}) : node;
}

function sum(node) {
  Object.assign(node, {order: 0, size: 0, total: 0, grad: null, ratio: null});
  const parts = [...node.children.values()].map(sum).concat(node.params.map((leaf) => Object.assign(leaf, valuesOf(leaf.param))));
  parts.forEach((part, index) => {
    part.order = index;
    node.size += part.size;
    node.total += part.param ? 1 : part.total;
    if (part.param) node.kinds[part.kind] = (node.kinds[part.kind] || 0) + 1;
    else for (const [kind, n] of Object.entries(part.kinds)) node.kinds[kind] = (node.kinds[kind] || 0) + n;
    if (finite(part.grad)) node.grad = Math.max(node.grad || 0, part.grad);
    if (finite(part.ratio)) node.ratio = Math.max(node.ratio || 0, part.ratio);
  });
  node.parts = parts;
  node.kind = WORST.find((kind) => node.kinds[kind]) || 'other';
  return node;
}

const valuesOf = (param) => ({
  kind: param.kind, size: weights(param), grad: last(param.grads), ratio: last(param.ratios),
  opt: param.opt ? `${param.opt} ${param.group}` : '', lr: param.lr, shape: size(param), requires: param.frozen ? 'no' : 'yes',
});

const KEYS = {
  name: (row) => row.full, verdict: (row) => WORST.indexOf(row.kind), shape: (row) => row.size, requires: (row) => row.requires,
  grad: (row) => row.grad, ratio: (row) => row.ratio, opt: (row) => row.opt, lr: (row) => row.lr,
};

// What is not known comes last in either direction.
function sorted(rows, column, down) {
  if (!column) return rows;
  const key = KEYS[column], sign = down ? -1 : 1;
  const unknown = (value) => value === null || value === undefined || value === '';
  return [...rows].sort((a, b) => {
    const [one, other] = [key(a), key(b)];
    if (unknown(one) || unknown(other)) return unknown(one) - unknown(other) || a.order - b.order;
    if (typeof one === 'string' && typeof other === 'string') return sign * one.localeCompare(other, 'en', {numeric: true}) || a.order - b.order;
    // not finite stands above every number
    const [x, y] = [odd(one) ? Infinity : one, odd(other) ? Infinity : other];
    return (x === y ? 0 : sign * (x - y)) || a.order - b.order;
  });
}
