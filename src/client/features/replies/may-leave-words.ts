import type { MemorialView } from '#shared/memorials/memorials.ts'

/** Whether this viewer may leave a message in the guestbook, so that the words of a reply can go there. */
export function mayLeaveWords({ memorial, viewer }: Pick<MemorialView, 'memorial' | 'viewer'>): boolean {
  // An invited guest gives their name first.
  return memorial.privacy === 'LOCKED'
    ? memorial.visitorMessages !== 'NOBODY'
    : viewer.canContribute && viewer.role === 'CONTRIBUTOR'
}
