// Small helpers: elements, numbers in words, and the report's data. Text only ever enters the page as text.
const DATA = JSON.parse(document.getElementById('data').textContent);
const PARAMS = DATA.params;
const byId = (id) => document.getElementById(id);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ''));
  return node;
}
const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

const shorten = (text, limit) => {
  if (text.length <= limit) return text;
  const head = Math.floor((limit - 1) / 3);
  return text.slice(0, head) + '…' + text.slice(text.length - (limit - 1 - head));
};
const finite = (value) => typeof value === 'number';
const odd = (value) => typeof value === 'string';  // nan and infinities stand as text in the data
const count = (n, one, many) => `${n.toLocaleString('en')} ${n === 1 ? one : many || one + 's'}`;

function number(value) {
  if (value === null || value === undefined) return 'none';
  if (!finite(value) || value === 0) return String(value);
  if (Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3) {
    const [mantissa, exponent] = value.toExponential(2).split('e');
    return `${Number(mantissa)}e${Number(exponent)}`;
  }
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}

function percent(share) {
  if (share === null || share === undefined) return 'not measured';
  if (!finite(share)) return String(share);
  if (share <= 0) return '0%';
  if (share < 0.001) return '<0.1%';
  return share >= 0.1 ? `${Math.round(share * 100).toLocaleString('en')}%` : `${(share * 100).toFixed(1)}%`;
}

const last = (values) => (values && values.length ? values[values.length - 1] : null);
const weights = (param) => (param.shape || []).reduce((product, size) => product * size, 1);
const size = (param) => (param.shape && param.shape.length ? param.shape.join('×') : 'scalar');
