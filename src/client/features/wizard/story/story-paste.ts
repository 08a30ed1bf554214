import { parseInert } from '#client/lib/browser/inert-html.ts'

/** The number that Word writes before a numbered paragraph; for bullets it writes other characters. */
const NUMBER = /^\(?[0-9a-z]{1,4}[.)]/iu
const BLOCKS = 'p, div, ul, ol, table, blockquote, h1, h2, h3, h4, h5, h6'

/**
 * Converts pasted HTML so that the story's schema keeps all its text and lists: Word's list paragraphs become lists, table
 * rows become lines, bold and italic styles become elements. The schema drops everything else.
 */
export function tidyPasted(html: string): string {
  const body = parseInert(html)
  for (const paragraph of body.querySelectorAll('p[style*="mso-list"]')) toListItem(paragraph)
  // Inner tables first: their rows are then text of the outer ones.
  for (const table of [...body.querySelectorAll('table')].toReversed()) table.replaceWith(...linesOf(table))
  for (const element of body.querySelectorAll('[style]')) {
    toElements(element)
    element.removeAttribute('style')
  }
  return body.innerHTML
}

/** Converts bold and italic styles. Our CSP blocks inline styles, so `element.style` is empty and the attribute is parsed. */
function toElements(element: Element): void {
  const style = element.getAttribute('style') ?? ''
  const weight = /(?:^|[;\s])font-weight\s*:\s*([a-z0-9]+)/iu.exec(style)?.[1] ?? ''
  // Google Docs wraps whole pastes in <b style="font-weight:normal">.
  if (element.matches('b, strong') && /^(?:normal|[1-5]00)$/iu.test(weight)) {
    element.replaceWith(...element.childNodes)
    return
  }
  if (element.matches(BLOCKS)) return
  if (/^(?:bold|[6-9]00)/iu.test(weight)) wrapContent(element, 'strong')
  if (/(?:^|[;\s])font-style\s*:\s*italic/iu.test(style)) wrapContent(element, 'em')
}

function wrapContent(element: Element, name: 'strong' | 'em'): void {
  const wrap = document.createElement(name)
  wrap.append(...element.childNodes)
  element.append(wrap)
}

function toListItem(paragraph: Element): void {
  const marker = paragraph.querySelector('[style*="mso-list:Ignore" i], [style*="mso-list: Ignore" i]')
  const kind = NUMBER.test(marker?.textContent?.trim() ?? '') ? 'ol' : 'ul'
  marker?.remove()
  const before = paragraph.previousElementSibling
  const list = before?.matches(`${kind}[data-word]`) ? before : document.createElement(kind)
  if (list !== before) {
    list.setAttribute('data-word', '')
    paragraph.replaceWith(list)
  } else paragraph.remove()
  const item = document.createElement('li')
  item.append(...paragraph.childNodes)
  list.append(item)
}

/** One line per row if all cells contain only text; cells with paragraphs or lists are kept, one after another. */
function linesOf(table: HTMLTableElement): Element[] {
  return [...table.rows].flatMap((row) => {
    const cells = [...row.cells]
    const container = document.createElement('div')
    if (cells.some((cell) => cell.querySelector(BLOCKS)))
      return cells.map((cell) => {
        const part = document.createElement('div')
        part.append(...cell.childNodes)
        return part
      })
    for (const cell of cells) {
      if (cell.textContent.trim() === '') continue
      if (container.hasChildNodes()) container.append(' · ')
      container.append(...cell.childNodes)
    }
    return [container]
  })
}
