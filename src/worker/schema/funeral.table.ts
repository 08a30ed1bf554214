import { sql } from 'drizzle-orm'
import { check, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { memorials } from '#worker/schema/memorials.table.ts'

export const funeralEvents = sqliteTable(
  'funeral_events',
  {
    id: text().primaryKey(),
    memorialId: text('memorial_id')
      .notNull()
      .references(() => memorials.id, { onDelete: 'cascade' }),
    /** 1 to 4, unique in the memorial, so that the database itself prevents a fifth service. */
    position: integer().notNull(),
    title: text(),
    dateTime: integer('date_time').notNull(),
    timeZone: text('time_zone').notNull(),
    venueName: text('venue_name'),
    addressLine: text('address_line'),
    city: text(),
    region: text(),
    country: text(),
    postalCode: text('postal_code'),
    notes: text(),
    programmeKey: text('programme_key'),
    programmeName: text('programme_name'),
    programmeSize: integer('programme_size'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('funeral_events_position').on(t.memorialId, t.position),
    check('funeral_events_position_range', sql`${t.position} BETWEEN 1 AND 4`),
  ],
)
