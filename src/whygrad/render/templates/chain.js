// The nine links of one parameter, each with what was seen there.
const OFFERED = 200;

function evidence(param) {
  const {grads = [], found = [], ratios = []} = param;
  const good = grads.filter((value) => finite(value) && value > 0);
  const held = found.filter((value) => value !== null);
  const way = wayOf(param);
  const cut = way.find((one) => one[STATION.state] === 'cut');
  const came = grads.filter((value) => value !== null).length;
  const moved = ratios.filter(finite);
  return [
    [!param.hidden, (param.hidden ? 'No module lists it' : `The module tree lists it${param.module ? `, in ${param.module}` : ''}`) + (param.made ? `; made at ${param.made}.` : '.')],
    [!param.frozen, param.frozen ? 'requires_grad is False.' : 'requires_grad is True.'],
    [param.used || way.length, param.used ? `First taken by ${param.used[0]} at ${param.used[1]}.` : way.length ? `First taken by ${way[0][STATION.label]} at ${way[0][STATION.place]}.` : 'No operation was seen to take it.'],
    [way.length, way.length ? `Its value goes into the loss, by ${count(way.length, 'operation')} on the shortest way.` : 'No way from it to the loss was seen.'],
    [came, came ? `backward() came to it in ${count(came, 'pass', 'passes')}.` : `backward() came to it in no pass${cut ? `; on its way the graph ends in ${cut[STATION.label]} at ${cut[STATION.place]}.` : '.'}`],
    [good.length, came ? `${good.length === grads.length ? 'Norm' : `A usable gradient in ${good.length} of ${count(grads.length, 'pass', 'passes')}: norm`} ${number(grads[0])}${grads.length > 1 ? ` at the first, ${number(last(grads))} at the last` : ''}.` : 'No gradient was seen.', came ? spark(grads, number, 'Gradient norm') : ''],
    [held.length, found.length ? `A step found a gradient in .grad ${held.length} of ${count(found.length, 'time')}${held.length ? `, of norm ${number(last(held))} at the last` : ''}.` : 'No step was seen that looked for it.'],
    [param.opt && found.length, param.opt ? `${param.opt} holds it, in group ${param.group}${param.lr === undefined ? '' : `, at a learning rate of ${number(param.lr)}`}; ${count(found.length, 'step')} measured.` : 'No optimizer holds it.'],
    [moved.some((value) => value > 0) || param.moved, changes(param, moved), ratios.length ? spark(ratios, percent, 'Update over weight') : ''],
  ];
}

function changes(param, moved) {
  if (!moved.length) return param.moved === undefined ? 'No change was measured.' : `In all it changed by ${percent(param.moved)} of its size.`;
  if (moved.every((value) => value === 0)) return 'No step changed it.';
  const [least, most] = [moved.reduce((a, b) => Math.min(a, b)), moved.reduce((a, b) => Math.max(a, b))];
  return `Each step changed it by ${percent(least)} to ${percent(most)} of its size${param.moved === undefined ? '' : `, all of them together by ${percent(param.moved)}`}.`;
}

// Only the first broken link is judged; what lies behind it is told as it was seen, and not judged. A link holds if it
// was seen to hold.
function stateOf(param, link, seen) {
  if (param.kind === 'other') return ['open', 'not judged: too little was seen'];
  if (param.kind === 'frozen' && link >= 2) return link === 2 ? ['rest', 'frozen, which is no fault by itself'] : ['open', 'not judged: it is frozen'];
  if (param.kind === 'bad' && link >= param.link) return link === param.link ? ['broken', 'broken'] : ['open', 'not judged after the first broken link'];
  return seen ? ['holds', 'holds'] : ['open', param.kind === 'good' ? 'not seen, and yet it trains' : 'not seen'];
}

function chainOf(param) {
  const told = evidence(param);
  const signs = {holds: '✓', broken: '✗', open: '', rest: '–'};
  const items = DATA.links.map((name, index) => {
    const [seen, text, chart] = told[index];
    const [kind, words] = stateOf(param, index + 1, seen);
    return el('li', {class: kind},
      el('span', {class: 'num', 'aria-hidden': 'true'}, signs[kind] || String(index + 1)),
      el('span', {}, el('span', {class: 'name'}, `${index + 1}. ${name}`), el('span', {class: 'state'}, words)),
      el('span', {class: 'evidence' + (kind === 'open' ? ' muted' : '')}, text, chart || ''));
  });
  const about = (param.about || []).map((index) => [' ', el('a', {href: `#finding-${index + 1}`}, 'its finding')]);
  const facts = [size(param), param.dtype, count(weights(param), 'weight')].filter(Boolean).join(' · ');
  return [
    el('p', {class: 'picked'}, el('span', {class: 'who'}, shorten(param.name, 400)), el('span', {class: 'muted'}, facts), el('span', {class: `kind-${param.kind}`}, el('span', {class: `dot ${param.kind}`, 'aria-hidden': 'true'}), ` ${param.word}`), about.length ? el('span', {}, about[0]) : ''),
    el('ol', {class: 'links'}, items),
    param.path !== undefined ? el('div', {class: 'path'}, el('h3', {}, 'Its way to the loss'), stationList(param)) : '',
  ];
}

function pickParameter(param, jump) {
  const pick = byId('chain-pick'), search = byId('chain-search');
  let at = offered.indexOf(param);
  if (at < 0) {
    search.value = '';
    offer([param]);
    at = 0;
  }
  pick.selectedIndex = at;
  byId('chain-body').replaceChildren(...chainOf(param).filter(Boolean));
  if (jump) {
    byId('chain').scrollIntoView();
    pick.focus({preventScroll: true});
  }
}

let offered = [];
function offer(first) {
  const text = byId('chain-search').value.toLowerCase();
  const matching = PARAMS.filter((param) => !first.includes(param) && param.name.toLowerCase().includes(text));
  offered = [...first, ...matching].slice(0, OFFERED);
  const more = first.length + matching.length - offered.length;
  byId('chain-pick').replaceChildren(...offered.map((param, index) => el('option', {value: index}, `${shorten(param.name, 90)} (${param.word})`)),
    more > 0 ? el('option', {disabled: true}, `and ${count(more, 'more')}: type more of the name`) : '');
}

function startChain() {
  if (!PARAMS.length) return;
  byId('chain').hidden = false;
  offer([]);
  const pick = byId('chain-pick');
  pick.addEventListener('change', () => offered[pick.selectedIndex] && pickParameter(offered[pick.selectedIndex]));
  byId('chain-search').addEventListener('input', () => {
    offer([]);
    if (offered.length) pickParameter(offered[0]);
    else byId('chain-body').replaceChildren(el('p', {class: 'muted'}, 'No parameter has such a name.'));
  });
  pickParameter(PARAMS.find((param) => (param.about || []).includes(0)) || PARAMS.find((param) => param.kind === 'bad') || PARAMS[0]);
}
