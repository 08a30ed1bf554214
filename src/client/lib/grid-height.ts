/**
 * Reserves space in a grid of squares for `coming` more before they load. The content below then moves at once with
 * the user's click, not later. The grid gets the columns of the complete list.
 */
export function reserveGridHeight(list: HTMLElement, coming: number): void {
  list.dataset['count'] = 'all'
  const { gridTemplateColumns, rowGap } = getComputedStyle(list)
  const columns = gridTemplateColumns.split(' ').length
  const square = list.lastElementChild?.getBoundingClientRect().height ?? 0
  const gap = Number.parseFloat(rowGap) || 0
  const first = list.firstElementChild?.getBoundingClientRect().height ?? 0
  // On a wide screen the first item takes four cells.
  const places = list.childElementCount + (first > square * 1.5 ? 3 : 0)
  const rows = Math.ceil((places + coming) / columns) - Math.ceil(places / columns)
  if (rows <= 0) return
  list.style.setProperty('--room', `${rows * (square + gap) - gap}px`)
  list.style.setProperty('--square', `${square}px`)
  list.dataset['coming'] = ''
}

/** Releases the reserved space once the items are there, or before another grid reserves its own. */
export function releaseGridHeight(list: HTMLElement | null): void {
  if (!list || list.dataset['coming'] === undefined) return
  delete list.dataset['coming']
  list.removeAttribute('style')
}
