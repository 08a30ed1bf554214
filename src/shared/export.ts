import * as z from 'zod/mini'
import { MEDIA_TYPES } from './media.ts'
import { MEMORIAL_STATUS, PRIVACY } from './memorials.ts'

/** What `memorial.json` calls itself, and its version: raised with every change that a reader must know of. */
export const EXPORT_FORMAT = 'nhaka-memorial'
export const EXPORT_VERSION = 1

const text = () => z.nullable(z.string())
const instant = () => z.iso.datetime()
const calendarDate = () => z.nullable(z.iso.date())
/** A path in the archive, with `/`; null where the file was not found in our storage. */
const file = () => z.nullable(z.string().check(z.regex(/^[a-z]+\/\d{3,4}[^/\\]*$/u)))
const bytes = () => z.int().check(z.nonnegative())

/** `memorial.json` of "Download everything". Told in words in docs/export-format.md. */
export const memorialExport = z.strictObject({
  format: z.literal(EXPORT_FORMAT),
  version: z.literal(EXPORT_VERSION),
  exportedAt: instant(),
  /** Which part of how many this archive is; the text is the same in each. */
  part: z.strictObject({ number: z.int().check(z.positive()), of: z.int().check(z.positive()) }),
  memorial: z.strictObject({
    id: z.string(),
    honoureeFullName: z.string(),
    title: text(),
    dateOfBirth: calendarDate(),
    dateOfDeath: calendarDate(),
    lifeStory: z.nullable(z.strictObject({ html: z.string(), text: z.string() })),
    portraitMediaId: text(),
    coverMediaId: text(),
    status: z.enum(MEMORIAL_STATUS),
    privacy: z.enum(PRIVACY),
    isPaid: z.boolean(),
    showLocation: z.boolean(),
    allowSearchEngines: z.boolean(),
    publicLink: z.url(),
    publicSince: z.nullable(instant()),
    deletedAt: z.nullable(instant()),
    createdAt: instant(),
    updatedAt: instant(),
  }),
  location: z.nullable(z.strictObject({ label: text(), latitude: z.number(), longitude: z.number() })),
  /** In time order. */
  services: z.array(
    z.strictObject({
      id: z.string(),
      title: text(),
      dateTime: instant(),
      timeZone: z.string(),
      venueName: text(),
      addressLine: text(),
      city: text(),
      region: text(),
      country: text(),
      postalCode: text(),
      notes: text(),
      programme: z.nullable(
        z.strictObject({ file: file(), part: z.int(), originalFileName: text(), size: bytes() }),
      ),
    }),
  ),
  /** The oldest first. */
  media: z.array(
    z.strictObject({
      id: z.string(),
      type: z.enum(MEDIA_TYPES),
      mimeType: z.string(),
      file: file(),
      part: z.int(),
      originalFileName: z.string(),
      size: bytes(),
      width: z.nullable(z.int()),
      height: z.nullable(z.int()),
      durationSec: z.nullable(z.number()),
      caption: text(),
      alternativeText: text(),
      /** The name of the relative who added it; null for the owner's own. */
      addedBy: text(),
      createdAt: instant(),
    }),
  ),
  /** The newest first. */
  messages: z.array(
    z.strictObject({
      id: z.string(),
      body: z.string(),
      writtenBy: z.string(),
      isOwner: z.boolean(),
      likes: z.int(),
      createdAt: instant(),
    }),
  ),
})
export type MemorialExport = z.output<typeof memorialExport>

/** `part` counts from 1. `state` as the plan gave it: all parts are then of one memorial as it was at one time. */
export const exportQuery = z.object({
  part: z.optional(z.string().check(z.regex(/^[1-9]\d{0,2}$/u))),
  state: z.optional(z.string()),
})
export type ExportQuery = z.output<typeof exportQuery>

/** What "Download everything" would be: files that people added, and their bytes. */
export type ExportPlan = {
  files: number
  bytes: number
  /** False where it is too large for one file: then there are only parts. */
  mayBeWhole: boolean
  parts: { part: number; files: number; bytes: number }[]
  /** Changes with every file that is added, renamed or deleted. */
  state: string
}
