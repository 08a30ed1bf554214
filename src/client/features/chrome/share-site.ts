import { links } from '#client/lib/links.ts'

const TEXT = 'Keeping Legacies Alive: a lasting page for somebody who died.'

/** Links for sharing this site. Plain links: nothing loads from these networks here. */
export function shareSiteLinks(origin: string): { name: string; href: string }[] {
  const home = origin + links.home
  return [
    { name: 'Share on WhatsApp', href: `https://wa.me/?text=${encodeURIComponent(`${TEXT} ${home}`)}` },
    {
      name: 'Share on Facebook',
      href: `https://www.facebook.com/sharer/sharer.php?u=${encodeURIComponent(home)}`,
    },
  ]
}
