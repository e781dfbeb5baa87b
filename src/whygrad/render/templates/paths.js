// The way from a parameter to the loss, as a line of stations that begins at the parameter.
const STATION = {label: 0, place: 1, where: 2, state: 3, module: 4, node: 5, gradient: 6, next: 7};
const SHOWN = 12, LISTED = 200;

function wayOf(param) {
  const way = [];
  for (let at = param.path; at !== null && at !== undefined && way.length <= DATA.stations.length; at = DATA.stations[at][STATION.next]) way.push(DATA.stations[at]);
  return way;
}

// The station where autograd ends for this parameter, -1 if it does not.
function breakOf(param, way) {
  if (param.kind !== 'bad') return -1;
  const wanted = param.link === 6 ? 'zero' : 'cut';
  return [4, 5, 6].includes(param.link) ? way.map((one) => one[STATION.state]).lastIndexOf(wanted) : -1;
}

function sees(one, side, link) {
  const arrives = one[STATION.gradient] === null ? '' : `, gradient up to ${number(one[STATION.gradient])}`;
  if (side === 'break' && link === 6) return `${[one[STATION.node], one[STATION.gradient] === null ? '' : `${number(one[STATION.gradient])} arrives`].filter(Boolean).join(': ') || 'A gradient arrives'}, nothing usable goes on`;
  if (side === 'break') return 'the graph ends here';
  if (side === 'before') return one[STATION.node] ? 'backward() comes here with nothing usable' : 'backward() never comes here';
  if (side === 'idle') return 'not recorded by autograd';
  return one[STATION.node] ? `${one[STATION.node]}${arrives}` : '';
}

// Behind a break come stations that autograd did not record, up to the first that works on a parameter again.
function sidesOf(way, broken) {
  const first = way.findIndex((one, index) => index > broken && one[STATION.node]);
  const again = first < 0 ? way.length : first;
  return way.map((one, index) => (index === broken ? 'break' : index < broken ? 'before' : broken >= 0 && index < again ? 'idle' : 'after'));
}

// The end of a long path of folders says most.
const tail = (place) => (place.length <= 40 ? place : `…${place.slice(-39).replace(/^[^/\\\\]*(?=[/\\\\])/, '')}`);


function stop(one, side, link) {
  const where = [one[STATION.module], one[STATION.where]].filter(Boolean).map((text) => shorten(text, 80)).join(' · ');
  return el('li', {class: `stop ${side}`},
    el('span', {class: 'what'}, el('code', {}, shorten(one[STATION.label], 80)), side === 'break' ? [' ', el('b', {class: 'broken'}, 'breaks here')] : ''),
    el('span', {class: 'at'}, one[STATION.place] ? el('code', {title: shorten(one[STATION.place], 300)}, tail(one[STATION.place])) : '', where ? [' ', el('span', {class: 'muted'}, where)] : ''),
    el('span', {class: 'sees'}, sees(one, side, link)));
}

function stationList(param) {
  const way = wayOf(param);
  const broken = breakOf(param, way);
  const sides = sidesOf(way, broken);
  const stops = way.map((one, index) => stop(one, sides[index], param.link));
  const near = (index) => way.length <= SHOWN || index < 3 || index >= way.length - 3 || (broken >= 0 && Math.abs(index - broken) <= 2);
  const items = [];
  for (let index = 0; index < stops.length; index += 1) {
    if (near(index)) { items.push(stops[index]); continue; }
    let end = index;
    while (end < stops.length && !near(end)) end += 1;
    const hidden = stops.slice(index, Math.min(end, index + LISTED));
    const more = end - index - hidden.length;
    items.push(el('li', {class: 'fold'}, el('details', {}, el('summary', {}, count(end - index, 'more step')),
      el('ol', {class: 'stations'}, hidden, more ? el('li', {class: 'stop muted'}, `and ${more} more`) : ''))));
    index = end - 1;
  }
  return el('ol', {class: 'stations'},
    el('li', {class: 'stop end' + (broken >= 0 ? ' before' : '')}, el('span', {class: 'what'}, shorten(param.name, 72)), el('span', {class: 'at muted'}, 'the parameter')),
    items,
    el('li', {class: 'stop end'}, el('span', {class: 'what'}, 'loss'), el('span', {class: 'at muted'}, 'backward() starts here and goes up')));
}

// In each finding: draw the way of another parameter that it stops.
function startPaths() {
  for (const pick of document.querySelectorAll('select.path-pick')) {
    const number = Number(pick.dataset.finding);
    const named = PARAMS.filter((param) => (param.about || []).includes(number) && param.path !== undefined).slice(0, 2000);
    if (named.length < 2) continue;
    pick.append(...named.map((param) => el('option', {}, shorten(param.name, 100))));
    const path = pick.closest('.path');
    pick.addEventListener('change', () => {
      const param = named[pick.selectedIndex];
      path.querySelector('.stations').replaceWith(stationList(param));
      path.querySelector('h3 code, h4 code').textContent = shorten(param.name, 72);
    });
    pick.closest('.others').hidden = false;
  }
}
