// Charts as plain SVG. What is zero, missing or not finite has a sign of its own, not only a colour.
const SIGNS = {
  point: (x, y, r = 2.2) => svg('circle', {class: 'point', cx: x, cy: y, r}),
  zero: (x, y, r = 3) => svg('circle', {class: 'zero', cx: x, cy: y, r}),
  none: (x, y, r = 2.6) => svg('path', {class: 'none', d: `M${x - r} ${y - r}l${2 * r} ${2 * r}M${x + r} ${y - r}l${-2 * r} ${2 * r}`}),
  odd: (x, y, r = 3.4) => svg('path', {class: 'odd', d: `M${x} ${y - r}l${r} ${1.8 * r}h${-2 * r}z`}),
};
const signOf = (value) => (value === null || value === undefined ? 'none' : odd(value) ? 'odd' : value === 0 ? 'zero' : 'point');

function told(values, show) {
  if (!values.length) return 'nothing measured';
  const numbers = values.filter(finite);
  const words = [`${show(values[0])} to ${show(last(values))} over ${count(values.length, 'value')}`];
  const zeros = numbers.filter((value) => value === 0).length;
  if (zeros) words.push(`${zeros} zero`);
  if (numbers.length < values.length) {
    const bad = values.filter(odd).length;
    if (bad) words.push(`${bad} not finite`);
    if (values.length - numbers.length - bad) words.push(`${values.length - numbers.length - bad} missing`);
  }
  return words.join(', ');
}

// A small line over the steps, on a logarithmic scale of at least one decade.
function spark(values, show, name, width = 64, height = 18) {
  const positive = values.filter((value) => finite(value) && value > 0).map(Math.log10);
  let low = Math.min(...positive), high = Math.max(...positive);
  if (high - low < 1) [low, high] = [(low + high) / 2 - 0.5, (low + high) / 2 + 0.5];
  const at = (index) => (values.length < 2 ? width / 2 : 3 + (index * (width - 6)) / (values.length - 1));
  const root = svg('svg', {class: 'spark', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${name}: ${told(values, show)}`});
  let path = '', pen = 'M';
  values.forEach((value, index) => {
    const sign = signOf(value);
    if (sign === 'point') {
      path += `${pen}${at(index).toFixed(1)} ${(height - 3 - ((Math.log10(value) - low) / (high - low)) * (height - 6)).toFixed(1)}`;
      pen = 'L';
      return;
    }
    pen = 'M';
    if (sign !== 'none') root.append(SIGNS[sign](at(index), sign === 'zero' ? height - 3 : 4, 2.2));
  });
  if (path.includes('L')) root.append(svg('path', {d: path}));
  else if (path) root.append(SIGNS.point(...path.slice(1).split(' ').map(Number)));
  return root;
}

// Round numbers between two values.
function ticks(low, high, wanted) {
  const step = 10 ** Math.floor(Math.log10((high - low) / wanted));
  const unit = [1, 2, 5, 10].map((factor) => factor * step).find((one) => (high - low) / one <= wanted) || step;
  const found = [];
  for (let tick = Math.ceil(low / unit) * unit; tick <= high + unit / 1e6; tick += unit) found.push(Number(tick.toPrecision(6)));
  return found;
}

function frame(width, height, label) {
  return svg('svg', {class: 'chart', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label});
}

function lossChart(width) {
  const {losses, guess} = DATA;
  const height = 250, left = 52, right = 12, top = 12, bottom = 44;
  const numbers = losses.filter(finite).concat(finite(guess) ? [guess] : []);
  const words = `Loss: ${told(losses, number)}` + (finite(guess) ? `; a guess that ignores the input reaches ${number(guess)}` : '');
  const root = frame(width, height, words);
  if (!numbers.length) return root;
  let low = Math.min(...numbers), high = Math.max(...numbers);
  const room = (high - low) * 0.08 || Math.abs(high) * 0.1 || 1;
  [low, high] = [low - room, high + room];
  const y = (value) => top + ((high - value) / (high - low)) * (height - top - bottom);
  const x = (index) => left + (losses.length < 2 ? 0.5 : index / (losses.length - 1)) * (width - left - right);
  for (const tick of ticks(low, high, 5)) {
    root.append(svg('path', {class: 'axis', d: `M${left} ${y(tick)}H${width - right}`}), svg('text', {x: left - 8, y: y(tick) + 4, 'text-anchor': 'end'}, number(tick)));
  }
  for (const tick of ticks(1, Math.max(losses.length, 2), Math.min(10, width / 80)).filter((one) => Number.isInteger(one) && one <= losses.length)) {
    root.append(svg('text', {x: x(tick - 1), y: height - 26, 'text-anchor': 'middle'}, String(tick)));
  }
  root.append(svg('text', {x: width - right, y: height - 7, 'text-anchor': 'end'}, 'backward pass'));
  if (finite(guess)) {
    // the name stands where the loss is farther away
    const away = (value) => (finite(value) ? Math.abs(value - guess) : Infinity);
    const atStart = away(losses[0]) > away(last(losses));
    root.append(svg('path', {class: 'level', d: `M${left} ${y(guess)}H${width - right}`}));
    root.append(svg('text', {class: 'levelname', x: atStart ? left + 4 : width - right - 4, y: y(guess) - 5, 'text-anchor': atStart ? 'start' : 'end'}, `a guess that ignores the input: ${number(guess)}`));
  }
  let path = '', pen = 'M';
  losses.forEach((value, index) => {
    if (!finite(value)) { pen = 'M'; root.append(SIGNS.odd(x(index), top + 4)); return; }
    path += `${pen}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
    pen = 'L';
    if (losses.length <= 40) root.append(SIGNS.point(x(index), y(value)));
  });
  root.append(svg('path', {class: 'line', d: path}));
  return root;
}

// One column a parameter, or several parameters a column where they are many.
function columns(most) {
  const each = Math.ceil(PARAMS.length / most);
  const found = [];
  for (let start = 0; start < PARAMS.length; start += each) found.push(PARAMS.slice(start, start + each));
  return found;
}

function flowChart(width, pass) {
  const height = 300, left = 58, right = 12, top = 26, bottom = 62;
  const bars = columns(Math.max(40, Math.floor((width - left - right) / 4)));
  const all = PARAMS.flatMap((param) => (param.grads || []).filter((value) => finite(value) && value > 0)).map(Math.log10);
  let low = all.length ? Math.floor(all.reduce((a, b) => Math.min(a, b))) : -1;
  let high = all.length ? Math.ceil(all.reduce((a, b) => Math.max(a, b))) : 1;
  if (low === high) high += 1;
  const radius = bars.length < 120 ? {point: 3.4, zero: 3.6, none: 3, odd: 4} : {point: 2, zero: 2.4, none: 2, odd: 3};
  const counts = {point: 0, zero: 0, none: 0, odd: 0};
  const y = (value) => top + ((high - Math.log10(value)) / (high - low)) * (height - top - bottom);
  const x = (index) => left + ((index + 0.5) / bars.length) * (width - left - right);
  const zeroAt = height - bottom + 16, noneAt = height - bottom + 34;
  const root = frame(width, height, '');
  for (const [at, word] of [[zeroAt, 'zero'], [noneAt, 'none']]) {
    root.append(svg('rect', {class: 'strip', x: left, y: at - 8, width: width - left - right, height: 16}), svg('text', {x: left - 8, y: at + 4, 'text-anchor': 'end'}, word));
  }
  const every = Math.ceil((high - low) / 6);
  for (let tick = low; tick <= high; tick += every) {
    root.append(svg('path', {class: 'axis', d: `M${left} ${y(10 ** tick)}H${width - right}`}), svg('text', {x: left - 8, y: y(10 ** tick) + 4, 'text-anchor': 'end'}, `1e${tick}`));
  }
  bars.forEach((params, index) => {
    const before = params.flatMap((param) => (param.grads || []).filter((value) => finite(value) && value > 0));
    if (before.length > 1) {
      const [least, most] = [before.reduce((a, b) => Math.min(a, b)), before.reduce((a, b) => Math.max(a, b))];
      root.append(svg('path', {class: 'band', d: `M${x(index)} ${y(least)}V${y(most) - 1}`}));
    }
    const drawn = new Set();
    for (const param of params) {
      const value = (param.grads || [])[pass];
      const sign = signOf(value);
      counts[sign] += 1;
      const at = sign === 'point' ? y(value) : sign === 'zero' ? zeroAt : sign === 'none' ? noneAt : 12;
      if (drawn.has(Math.round(at))) continue;
      drawn.add(Math.round(at));
      const dot = SIGNS[sign](x(index), at, radius[sign]);
      dot.append(svg('title', {}, `${shorten(param.name, 100)}: ${number(value)}`));
      root.append(dot);
    }
  });
  root.append(svg('text', {x: left, y: height - 6}, 'first parameter'), svg('text', {x: width - right, y: height - 6, 'text-anchor': 'end'}, 'last parameter'));
  const norms = PARAMS.map((param) => (param.grads || [])[pass]).filter((value) => finite(value) && value > 0);
  const span = norms.length ? `, from ${number(norms.reduce((a, b) => Math.min(a, b)))} to ${number(norms.reduce((a, b) => Math.max(a, b)))}` : '';
  const words = `Pass ${pass + 1}: ${count(counts.point, 'parameter')} with a gradient${span}; ${number(counts.zero)} zero, ${number(counts.none)} none, ${number(counts.odd)} not finite`;
  root.setAttribute('aria-label', words);
  return [root, words];
}

function legend(signs) {
  return el('p', {class: 'legend'}, signs.map(([sign, words]) => el('span', {}, svg('svg', {class: 'chart', width: 12, height: 12, viewBox: '0 0 12 12', 'aria-hidden': 'true'}, sign === 'band' ? svg('path', {class: 'band', d: 'M6 0V12'}) : SIGNS[sign](6, sign === 'odd' ? 5 : 6)), words)));
}

function startCharts() {
  if (byId('loss')) {
    byId('loss').hidden = false;
    const body = byId('loss-body');
    const draw = () => body.replaceChildren(lossChart(Math.max(280, body.clientWidth)));
    draw();
    onWidth(body, draw);
  }
  if (byId('flow') && PARAMS.some((param) => param.grads)) startFlow();
}

function startFlow() {
  byId('flow').hidden = false;
  const most = PARAMS.reduce((n, param) => Math.max(n, (param.grads || []).length), 1);
  const slider = el('input', {type: 'range', id: 'flow-pass', min: 1, max: most, value: most});
  const words = el('output', {for: 'flow-pass', class: 'muted'});
  const place = el('div', {});
  const draw = () => {
    const [chart, text] = flowChart(Math.max(280, place.clientWidth), Number(slider.value) - 1);
    place.replaceChildren(chart);
    words.textContent = text;
  };
  slider.addEventListener('input', draw);
  const signs = [['point', 'norm at this pass'], ['zero', 'exactly zero'], ['none', 'no gradient'], ['odd', 'not finite']];
  if (most > 1) signs.splice(1, 0, ['band', 'range over all passes']);
  byId('flow-body').append(most > 1 ? el('div', {class: 'tools'}, el('label', {for: 'flow-pass'}, 'Backward pass that came to it'), slider, words) : words, place, legend(signs));
  draw();
  onWidth(place, draw);
}

function onWidth(node, draw) {
  let width = node.clientWidth;
  new ResizeObserver(() => {
    if (node.clientWidth && Math.abs(node.clientWidth - width) > 1) { width = node.clientWidth; draw(); }
  }).observe(node);
}
