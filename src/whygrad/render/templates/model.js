// The table of modules and parameters: a tree to open, or a list; to sort, to search, to filter.
const CHUNK = 250, OPENED = 36;
const HEAD = [
  ['name', 'Parameter'], ['verdict', 'Verdict'], ['shape', 'Shape'], ['requires', 'Requires grad'], ['grad', 'Gradient norm'],
  ['ratio', 'Update / weight'], ['opt', 'Optimizer, group'], ['lr', 'Rate'],
];

function startModel() {
  if (!PARAMS.length) return;
  const state = {column: '', down: false, text: '', kind: '', list: false, shown: CHUNK, open: new Set()};
  let root = makeTree(PARAMS);
  openSome(root, state.open);
  const body = byId('model-body');
  const rows = el('tbody', {});
  const status = el('span', {class: 'count', role: 'status'});
  const more = el('button', {class: 'plain', type: 'button', onclick: () => { state.shown += 4 * CHUNK; draw(); }}, 'Show more');
  const head = HEAD.map(([key, words]) => el('th', {scope: 'col', 'aria-sort': 'none', 'data-key': key}, el('button', {type: 'button', onclick: () => sortBy(key)}, words)));

  function sortBy(key) {
    // first one way, then the other, then the model's own order again; numbers begin with the greatest
    const firstDown = ['shape', 'grad', 'ratio', 'lr'].includes(key);
    if (state.column !== key) Object.assign(state, {column: key, down: firstDown});
    else if (state.down === firstDown) state.down = !firstDown;
    else Object.assign(state, {column: '', down: false});
    for (const cell of head) cell.setAttribute('aria-sort', cell.dataset.key !== state.column ? 'none' : state.down ? 'descending' : 'ascending');
    draw();
  }

  function visible() {
    const found = [];
    if (state.list) {
      const collect = (node) => node.parts.forEach((part) => (part.param ? found.push([part, 0]) : collect(part)));
      collect(root);
      found.forEach(([leaf], index) => { leaf.order = index; });
      return sorted(found.map(([leaf]) => leaf), state.column, state.down).map((leaf) => [leaf, 0]);
    }
    const walk = (node, depth) => {
      for (const part of sorted(node.parts, state.column, state.down)) {
        found.push([part, depth]);
        if (!part.param && state.open.has(part.full)) walk(part, depth + 1);
      }
    };
    walk(root, 0);
    return found;
  }

  function refilter() {
    const text = state.text.toLowerCase();
    const kept = PARAMS.filter((param) => param.name.toLowerCase().includes(text) && (!state.kind || param.word === state.kind));
    root = makeTree(kept);
    state.shown = CHUNK;
    if (text || state.kind) openSome(root, state.open);
    status.textContent = kept.length === PARAMS.length ? count(kept.length, 'parameter') : `${kept.length.toLocaleString('en')} of ${count(PARAMS.length, 'parameter')}`;
    draw();
  }

  function toggle(node, open) {
    if (open) state.open.add(node.full);
    else state.open.delete(node.full);
    draw();
    for (const button of rows.querySelectorAll('.twist')) if (button.dataset.full === node.full) button.focus();
  }

  function draw() {
    const all = visible();
    rows.replaceChildren(...all.slice(0, state.shown).map(([part, depth]) => (part.param ? leafRow(part, depth, state.list) : moduleRow(part, depth, state.open.has(part.full), toggle))));
    if (!all.length) rows.append(el('tr', {}, el('td', {colspan: HEAD.length}, 'No parameter matches.')));
    more.hidden = all.length <= state.shown;
    more.textContent = `Show more (${(all.length - state.shown).toLocaleString('en')} rows left)`;
  }

  const search = el('input', {type: 'search', id: 'model-search', autocomplete: 'off', spellcheck: 'false', placeholder: 'part of a name', oninput: () => { state.text = search.value; refilter(); }});
  const words = [...new Set(PARAMS.map((param) => param.word))];
  const filter = el('select', {id: 'model-filter', onchange: () => { state.kind = filter.value; refilter(); }}, el('option', {value: ''}, 'every verdict'), words.map((word) => el('option', {value: word}, word)));
  const radio = (value, name) => el('label', {}, el('input', {type: 'radio', name: 'model-view', checked: value === 'tree', onchange: () => { state.list = value === 'list'; state.shown = CHUNK; draw(); }}), name);
  body.append(
    el('div', {class: 'tools'}, el('label', {for: 'model-search'}, 'Search'), search, el('label', {class: 'hide', for: 'model-filter'}, 'Verdict'), filter,
      el('fieldset', {}, el('legend', {class: 'hide'}, 'Show as'), radio('tree', 'tree'), radio('list', 'list')), status),
    el('div', {class: 'scroll', role: 'region', 'aria-label': 'Modules and parameters', tabindex: '0', onkeydown: (event) => arrows(event, rows)},
      el('table', {}, el('thead', {}, el('tr', {}, head)), rows)),
    el('p', {class: 'more'}, more));
  body.hidden = false;
  refilter();
}

// Opens level after level as long as the table stays short.
function openSome(root, open) {
  let level = root.parts.filter((part) => !part.param), rows = root.parts.length;
  while (level.length) {
    const next = level.reduce((n, node) => n + node.parts.length, 0);
    if (rows + next > OPENED) {
      // where not all fit, at least the first that are sick
      for (const node of level.filter((one) => one.kind === 'bad')) {
        if (rows + node.parts.length > OPENED) break;
        open.add(node.full);
        rows += node.parts.length;
      }
      return;
    }
    level.forEach((node) => open.add(node.full));
    rows += next;
    level = level.flatMap((node) => node.parts.filter((part) => !part.param));
  }
}

function nameCell(depth, flat, ...children) {
  const cell = el('div', {class: flat ? 'tree flat' : 'tree'}, children);
  cell.style.paddingLeft = `${Math.min(depth, 12) * 1.1}rem`;
  return el('th', {scope: 'row'}, cell);
}

function moduleRow(node, depth, open, toggle) {
  const name = shorten(node.name, 60);
  const twist = el('button', {class: 'twist', type: 'button', 'aria-expanded': String(open), 'data-full': node.full, title: shorten(node.full, 300), onclick: () => toggle(node, !open)}, name);
  const bad = node.kinds.bad || 0;
  const words = bad ? `${bad.toLocaleString('en')} of ${node.total.toLocaleString('en')} do not train` : node.kind === 'good' ? `${node.total === 1 ? '1 trains' : `all ${node.total.toLocaleString('en')} train`}` : `${node.total.toLocaleString('en')}: ${Object.entries(node.kinds).map(([kind, n]) => `${n} ${{good: 'train', frozen: 'frozen', other: 'not judged'}[kind]}`).join(', ')}`;
  return el('tr', {class: 'module'},
    nameCell(depth, false, twist),
    verdictCell(node.kind, words), el('td', {class: 'num'}, count(node.size, 'weight')), el('td', {}),
    el('td', {class: 'num muted'}, node.grad === null ? '' : node.grad ? `≤ ${number(node.grad)}` : '0'), el('td', {class: 'num muted'}, node.ratio === null ? '' : node.ratio ? `≤ ${percent(node.ratio)}` : '0%'), el('td', {}), el('td', {}));
}

function leafRow(leaf, depth, list) {
  const {param} = leaf;
  const measured = (values, show, name) => (values && values.length ? el('td', {}, el('div', {class: 'with'}, spark(values, show, name), el('span', {class: 'num'}, show(last(values))))) : el('td', {class: 'num muted'}, 'none'));
  return el('tr', {},
    nameCell(depth, list, el('button', {class: 'leaf', type: 'button', title: shorten(param.name, 300), 'aria-label': `${shorten(param.name, 300)}: show its chain`, onclick: () => pickParameter(param, true)}, shorten(list ? param.name : leaf.name, 120))),
    verdictCell(param.kind, param.word), el('td', {class: 'num'}, leaf.shape), el('td', {}, leaf.requires),
    measured(param.grads, number, 'Gradient norm'), measured(param.ratios, percent, 'Update over weight'),
    el('td', {}, param.opt ? `${shorten(param.opt, 40)}, ${param.group}` : el('span', {class: 'muted'}, 'none')), el('td', {class: 'num'}, param.lr === undefined ? '' : number(param.lr)));
}

const verdictCell = (kind, words) => el('td', {class: `kind-${kind}`}, el('span', {class: `dot ${kind}`, 'aria-hidden': 'true'}), ' ', words);

// Up and down go from row to row, left and right close and open a module.
function arrows(event, rows) {
  const button = event.target.closest('tbody button');
  if (!button || !['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'].includes(event.key)) return;
  const buttons = [...rows.querySelectorAll('.twist, .leaf')];
  const at = buttons.indexOf(button);
  if (event.key === 'ArrowUp' || event.key === 'ArrowDown') (buttons[at + (event.key === 'ArrowUp' ? -1 : 1)] || button).focus();
  else if (button.classList.contains('twist') && (button.getAttribute('aria-expanded') === 'true') === (event.key === 'ArrowLeft')) button.click();
  event.preventDefault();
}
