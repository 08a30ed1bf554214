import * as z from 'zod/mini'
import { AUDIENCES, CONTACT_FOR, GATHERING_KINDS } from './funeral/gatherings.ts'
import { DATE_PRECISIONS } from './memorials/life-dates.ts'
import { MEDIA_TYPES } from './media/media-types.ts'
import { MEMORIAL_STATUS, PRIVACY, VISITOR_MESSAGES } from './memorials/memorials.ts'
import { REPLY_ANSWERS } from './replies/reply-answers.ts'

/** Format name and version in `memorial.json`. Raise the version with every change that readers must know. */
export const EXPORT_FORMAT = 'nhaka-memorial'
export const EXPORT_VERSION = 1

const text = () => z.nullable(z.string())
const instant = () => z.iso.datetime()
const calendarDate = () => z.nullable(z.iso.date())
/** A path in the archive, with `/`; null if the file was missing from storage. */
const file = () => z.nullable(z.string().check(z.regex(/^[a-z]+\/\d{3,4}[^/\\]*$/u)))
const bytes = () => z.int().check(z.nonnegative())

/** `memorial.json` of "Download everything", described in docs/export-format.md. */
export const memorialExport = z.strictObject({
  format: z.literal(EXPORT_FORMAT),
  version: z.literal(EXPORT_VERSION),
  exportedAt: instant(),
  /** The number of this archive and of all parts. The text is the same in each part. */
  part: z.strictObject({ number: z.int().check(z.positive()), of: z.int().check(z.positive()) }),
  memorial: z.strictObject({
    id: z.string(),
    honoureeFullName: z.string(),
    title: text(),
    dateOfBirth: calendarDate(),
    dateOfBirthPrecision: z.enum(DATE_PRECISIONS),
    dateOfDeath: calendarDate(),
    dateOfDeathPrecision: z.enum(DATE_PRECISIONS),
    lifeStory: z.nullable(z.strictObject({ html: z.string(), text: z.string() })),
    portraitMediaId: text(),
    coverMediaId: text(),
    status: z.enum(MEMORIAL_STATUS),
    privacy: z.enum(PRIVACY),
    isPaid: z.boolean(),
    showLocation: z.boolean(),
    allowSearchEngines: z.boolean(),
    showInvitePreview: z.boolean(),
    holdNew: z.boolean(),
    visitorMessages: z.enum(VISITOR_MESSAGES),
    publicLink: z.url(),
    publicSince: z.nullable(instant()),
    deletedAt: z.nullable(instant()),
    createdAt: instant(),
    updatedAt: instant(),
  }),
  location: z.nullable(z.strictObject({ label: text(), latitude: z.number(), longitude: z.number() })),
  /** By time. */
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
      kind: z.enum(GATHERING_KINDS),
      endDateTime: z.nullable(instant()),
      pin: z.nullable(z.strictObject({ latitude: z.number(), longitude: z.number() })),
      wayThere: text(),
      dress: text(),
      bring: text(),
      contact: text(),
      contactFor: z.enum(CONTACT_FOR),
      audience: z.enum(AUDIENCES),
      streamUrl: text(),
      recordingUrl: text(),
      isCancelled: z.boolean(),
      takesReplies: z.boolean(),
      capacity: z.nullable(z.int()),
      repliesUntil: z.nullable(instant()),
      keepReplies: z.boolean(),
      /** In the order in which they came. */
      replies: z.array(
        z.strictObject({
          id: z.string(),
          name: z.string(),
          answer: z.enum(REPLY_ANSWERS),
          people: z.int(),
          words: text(),
          createdAt: instant(),
        }),
      ),
      programme: z.nullable(
        z.strictObject({ file: file(), part: z.int(), originalFileName: text(), size: bytes() }),
      ),
    }),
  ),
  /** Oldest first. */
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
  /** Newest first. */
  messages: z.array(
    z.strictObject({
      id: z.string(),
      body: z.string(),
      writtenBy: z.string(),
      /** How a visitor says they knew the person; null for everybody else. */
      relation: text(),
      isOwner: z.boolean(),
      likes: z.int(),
      createdAt: instant(),
    }),
  ),
})
export type MemorialExport = z.output<typeof memorialExport>

/** `part` counts from 1. `state` is the plan's: it makes sure that all parts show the memorial at the same moment. */
export const exportQuery = z.object({
  part: z.optional(z.string().check(z.regex(/^[1-9]\d{0,2}$/u))),
  state: z.optional(z.string()),
})
export type ExportQuery = z.output<typeof exportQuery>

/** What "Download everything" will contain: the number of uploaded files and their bytes. */
export type ExportPlan = {
  files: number
  bytes: number
  /** False if it is too large for one file; then only parts are available. */
  mayBeWhole: boolean
  parts: { part: number; files: number; bytes: number }[]
  /** Changes when a file is added, renamed or deleted. */
  state: string
}
