import { HOUR_MS, IMAGE_WIDTHS, THUMBNAIL_WIDTH } from '#shared/limits.ts'
import type { Finding, Sql, StoredObject } from './invariants.ts'

/** The sweep runs every hour, deletes objects that are an hour old, and stops after a fixed number. */
const SWEPT_AFTER_MS = 3 * HOUR_MS

type MediaRow = {
  id: string
  object_key: string
  size: number
  has_thumbnail: number
  poster_key: string | null
}
type ProgrammeRow = { id: string; programme_key: string; programme_size: number }

/** Checks that every row has its complete object, and that no object without a row survives the sweep. */
export async function objectFindings(sql: Sql, objects: StoredObject[], now: number): Promise<Finding[]> {
  const media = await sql<MediaRow>('SELECT id, object_key, size, has_thumbnail, poster_key FROM media')
  const programmes = await sql<ProgrammeRow>(
    'SELECT id, programme_key, programme_size FROM funeral_events WHERE programme_key IS NOT NULL',
  )
  const memorials = await sql<{ id: string }>('SELECT id FROM memorials')
  const deletions = await sql<{ prefix: string }>('SELECT prefix FROM object_deletions')
  const sizes = new Map(objects.map(({ key, size }) => [key, size]))
  const wanted = [
    ...media.map((row) => ({ id: row.id, key: row.object_key, size: row.size })),
    ...programmes.map((row) => ({ id: row.id, key: row.programme_key, size: row.programme_size })),
  ]
  const variants = media
    .filter((row) => row.has_thumbnail)
    .flatMap(({ id, object_key, poster_key }) =>
      [THUMBNAIL_WIDTH, Math.max(...IMAGE_WIDTHS)].map((width) => ({
        id,
        key: `${poster_key ?? object_key}/w${width}.webp`,
      })),
    )
  // A preview card without a portrait has its own key; one with a portrait is stored under the portrait's key.
  const cards = memorials.map(({ id }) => `m/${id}/card.jpg`)
  const known = [...wanted.map(({ key }) => key), ...deletions.map(({ prefix }) => prefix), ...cards]
  const roots = new Set(known)
  const old = objects.filter(
    ({ key, uploadedAt }) => key.startsWith('m/') && uploadedAt < now - SWEPT_AFTER_MS,
  )
  const marks = objects.filter(({ key }) => key.startsWith('marks/'))
  return [
    {
      rule: 'Every media item and programme has its object, with the size in its row',
      checked: wanted.length,
      problems: wanted
        .filter(({ key, size }) => sizes.get(key) !== size)
        .map(({ id, key, size }) => `${id} ${key} has ${sizes.get(key) ?? 'no'} bytes of ${size}`),
    },
    {
      rule: 'Every image has its thumbnail and the variant that visitors see',
      checked: variants.length,
      problems: variants
        .filter(({ key }) => !((sizes.get(key) ?? -1) > 0))
        .map(({ id, key }) => `${id} ${key}`),
    },
    {
      rule: 'No object survives the sweep without a row or a pending deletion',
      checked: old.length,
      problems: old
        .map(({ key }) => key)
        .filter((key) => !roots.has(rootOf(key, 3)) && !roots.has(rootOf(key, 2))),
    },
    {
      rule: 'The database has every restore marker that the bucket has: it is not older than the files',
      checked: marks.length,
      problems: marks.map(({ key }) => key).filter((key) => !roots.has(key)),
    },
  ]
}

/** `m/<memorial>/<media item or file>` of an object or its variant; with depth 2 the prefix of its memorial. */
function rootOf(key: string, depth: 2 | 3): string {
  return key.split('/').slice(0, depth).join('/')
}
