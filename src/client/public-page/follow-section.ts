import { watchSections } from '#client/lib/watch-sections.ts'
import { isHydrated } from './toggle-in-place.ts'

/** Marks the section in view in the section bar. */
export function markCurrentSection(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('[data-jump]')]
  const idOf = (link: HTMLAnchorElement) => link.hash.slice(1)
  const end = watchSections(links.map(idOf), (first) => {
    if (isHydrated()) {
      end()
      return
    }
    for (const link of links) {
      if (idOf(link) === first) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
    }
  })
}
