/**
 * Keeps the room in a grid of squares that `coming` more will take, from the moment in which somebody asked for them: what
 * stands below moves at once, with their press, and not when the squares are there. The grid's columns become those of
 * the whole list.
 */
export function keepRoom(list: HTMLElement, coming: number): void {
  list.dataset['count'] = 'all'
  const { gridTemplateColumns, rowGap } = getComputedStyle(list)
  const columns = gridTemplateColumns.split(' ').length
  const square = list.lastElementChild?.getBoundingClientRect().height ?? 0
  const gap = Number.parseFloat(rowGap) || 0
  const first = list.firstElementChild?.getBoundingClientRect().height ?? 0
  // On a wide screen the first takes four places.
  const places = list.childElementCount + (first > square * 1.5 ? 3 : 0)
  const rows = Math.ceil((places + coming) / columns) - Math.ceil(places / columns)
  if (rows <= 0) return
  list.style.setProperty('--room', `${rows * (square + gap) - gap}px`)
  list.style.setProperty('--square', `${square}px`)
  list.dataset['coming'] = ''
}

/** The squares are there, or others keep their room. */
export function giveRoomBack(list: HTMLElement | null): void {
  if (!list || list.dataset['coming'] === undefined) return
  delete list.dataset['coming']
  list.removeAttribute('style')
}
