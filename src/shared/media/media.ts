import * as z from 'zod/mini'
import type { HoldReason } from '../removal/held.ts'
import { ALT_MAX, CAPTION_MAX } from '../limits.ts'
import { MEDIA_TYPES, type MediaType } from './media-types.ts'
import { messages } from '../messages.ts'
import { lineOrNull } from '../text.ts'

export const mediaPageQuery = z.object({
  /** `nextCursor` of the previous page: returns the older items after it. */
  cursor: z.optional(z.string()),
  /** `newerCursor` of a page: returns the nearest newer items. */
  newer: z.optional(z.string()),
  /** Id of the media item that the page starts with. */
  from: z.optional(z.string()),
  /** A `contributorName`: returns only what was added under this name. */
  person: z.optional(z.string()),
  /** `1`: returns only what the owner added; overrides `person`. */
  owner: z.optional(z.literal('1')),
  /** One of `MEDIA_TYPES`: returns only those. */
  type: z.optional(z.enum(MEDIA_TYPES)),
  invite: z.optional(z.string()),
})
export const streamQuery = z.object({
  /** `1`: the thumbnail. */
  thumbnail: z.optional(z.string()),
  /** One of `IMAGE_WIDTHS`. */
  w: z.optional(z.string()),
  /** `1`: the unmodified file, for the owner and keepers who may export. */
  original: z.optional(z.string()),
  /** `caf`: an Ogg Opus recording in a CAF container, the only one that every Safari since 11 can play. */
  as: z.optional(z.literal('caf')),
  invite: z.optional(z.string()),
})
/** Fields that are left out don't change; at least one must be present. */
export const updateMediaInput = z
  .object({
    caption: z.optional(lineOrNull({ max: CAPTION_MAX })),
    alt: z.optional(lineOrNull({ max: ALT_MAX })),
  })
  .check(
    z.refine(({ caption, alt }) => caption !== undefined || alt !== undefined, {
      error: messages.form.checkFields,
    }),
  )

export type StreamQuery = z.output<typeof streamQuery>

export type Media = {
  id: string
  type: MediaType
  mimeType: string
  /** Bytes of the original. */
  size: number
  /** Pixels after rotation; null for audio and if unknown. */
  width: number | null
  height: number | null
  durationSec: number | null
  originalFileName: string
  caption: string | null
  /** Alternative text for people who cannot see it. */
  alt: string | null
  /** Path of the thumbnail, or null. */
  thumbnailPath: string | null
  /** A data URI: a version a few pixels wide, shown until the real one loads. */
  placeholder: string | null
  /** Null if the owner added it. */
  contributorName: string | null
  createdAt: string
  canDelete: boolean
  /** Only who added it, the family and admins see it, until the family shows it. */
  isHeld?: true
  /** For the family and admins: what a rule found, so that they know before they read. */
  heldReason?: HoldReason
}

/** Number of media items by type. */
export type MediaCounts = Record<MediaType, number>
/** Newest first. */
export type MediaPage = {
  media: Media[]
  /** Cursor of the older items; null at the end. */
  nextCursor: string | null
  /** Only on the first page, else null. */
  counts: MediaCounts | null
  /**
   * Names of all who added something, empty for the owner. Only on the first page, and only for the family, admins and
   * contributors, else null.
   */
  people: string[] | null
  /** Cursor of the newer items; null on a page that starts with the newest or follows a cursor. */
  newerCursor: string | null
  /** Only on a page requested by `from`, else null: how many items are newer than its first, without the portrait. */
  newerCount: number | null
}
export type MediaPageQuery = z.output<typeof mediaPageQuery>
export type MediaUploaded = { id: string; media: Media }

/** A resumable upload. */
export type UploadState = {
  /** Bytes that the server has stored. */
  offset: number
  /** Bytes of the whole file. */
  length: number
  expiresAt: string
  /** The media item made from it, or null. */
  mediaId: string | null
  /** That media item; null if there is none or it was deleted. */
  media: Media | null
}
