import { fillPath } from '#shared/fill-path.ts'
import { paths } from '#shared/pages/pages.ts'

/** Where a relative is known again, and leaves an address. Not among the links that every screen loads. */
export function againPath(id: string, invite?: string): string {
  const query = invite ? `?invite=${encodeURIComponent(invite)}` : ''
  return fillPath(paths.again, { id }) + query
}
