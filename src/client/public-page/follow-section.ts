import { isAppHere } from './toggle-in-place.ts'

/** Marks the part of the page that is in view in the bar of its parts. */
export function followSection(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('[data-jump]')]
  const inView = new Set<Element>()
  const sections = links.map((link) => document.getElementById(link.hash.slice(1)))
  const observer = new IntersectionObserver(
    (entries) => {
      if (isAppHere()) {
        observer.disconnect()
        return
      }
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) inView.add(target)
        else inView.delete(target)
      }
      const first = sections.findIndex((section) => section !== null && inView.has(section))
      for (const [index, link] of links.entries()) {
        if (index === Math.max(first, 0)) link.setAttribute('aria-current', 'true')
        else link.removeAttribute('aria-current')
      }
    },
    { rootMargin: '-64px 0px -55% 0px' },
  )
  for (const section of sections) if (section) observer.observe(section)
}
