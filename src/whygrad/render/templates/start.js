// Everything is drawn from the data once the page is there; without this script the findings stand all the same.
for (const node of document.querySelectorAll('.js[hidden]')) if (!node.id && !node.classList.contains('others')) node.hidden = false;
startPaths();
startChain();
startModel();
startCharts();

// A link to a folded finding opens it.
function openTarget(hash) {
  const target = hash && byId(decodeURIComponent(hash.slice(1)));
  if (target && target.tagName === 'DETAILS') target.open = true;
  return target;
}
addEventListener('hashchange', () => openTarget(location.hash));
openTarget(location.hash);

// In the frame of a notebook a link within the page would lead to the notebook's own address.
addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (!link || location.protocol !== 'about:') return;
  event.preventDefault();
  const target = openTarget(link.hash);
  if (target) { target.scrollIntoView(); target.focus(); }
});

// The part of the page that is being read is marked among the links.
const links = new Map([...document.querySelectorAll('.top nav a')].map((link) => [byId(link.hash.slice(1)), link]));
for (const [section, link] of links) if (!section || section.hidden) { link.parentNode.remove(); links.delete(section); }
function mark() {
  let now = null;
  for (const [section, link] of links) {
    link.classList.remove('now');
    link.removeAttribute('aria-current');
    if (section.getBoundingClientRect().top < innerHeight / 3) now = link;
  }
  if (now) { now.classList.add('now'); now.setAttribute('aria-current', 'true'); }
}
addEventListener('scroll', mark, {passive: true});
mark();

// On paper nothing can be opened: findings are printed open.
let opened = [];
addEventListener('beforeprint', () => {
  opened = [...document.querySelectorAll('details.card:not([open])')];
  opened.forEach((node) => { node.open = true; });
});
addEventListener('afterprint', () => opened.forEach((node) => { node.open = false; }));
