import { integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { memorials } from '#worker/schema/memorials.table.ts'

export const locations = sqliteTable('locations', {
  memorialId: text('memorial_id')
    .primaryKey()
    .references(() => memorials.id, { onDelete: 'cascade' }),
  label: text(),
  /** Degrees, WGS 84. */
  latitude: real().notNull(),
  longitude: real().notNull(),
  updatedAt: integer('updated_at').notNull(),
})
