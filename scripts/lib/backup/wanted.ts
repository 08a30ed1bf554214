import type { DatabaseSync } from 'node:sqlite'
import { IMAGE_WIDTHS, THUMBNAIL_WIDTH } from '#shared/limits.ts'
import type { WantedObject } from './catalogue.ts'

/** Every object that rows of a database name: files, programmes, and of pictures the sizes that must be there. */
export function* wantedObjects(db: DatabaseSync): Generator<WantedObject> {
  const widths = [THUMBNAIL_WIDTH, Math.max(...IMAGE_WIDTHS)]
  for (const row of db.prepare('SELECT * FROM media').iterate()) {
    const by = String(row['id'])
    yield { key: String(row['object_key']), size: Number(row['size']), by }
    if (row['has_thumbnail'] !== 1) continue
    const prefix = String(row['poster_key'] ?? row['object_key'])
    for (const width of widths) yield { key: `${prefix}/w${width}.webp`, size: null, by }
  }
  for (const row of db.prepare('SELECT * FROM funeral_events WHERE programme_key IS NOT NULL').iterate()) {
    yield { key: String(row['programme_key']), size: Number(row['programme_size']), by: String(row['id']) }
  }
}
