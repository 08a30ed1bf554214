import * as z from 'zod/mini'
import { ALT_MAX, CAPTION_MAX } from './limits.ts'
import { messages } from './messages.ts'
import { lineOrNull } from './text.ts'

export const MEDIA_TYPES = ['IMAGE', 'VIDEO', 'AUDIO'] as const
export type MediaType = (typeof MEDIA_TYPES)[number]

/** What a medium is called within a sentence. */
export const MEDIA_NOUN = {
  IMAGE: 'photo',
  VIDEO: 'video',
  AUDIO: 'recording',
} as const satisfies Record<MediaType, string>
/** What it is called where a sentence or a line begins. */
export const MEDIA_NAME = {
  IMAGE: 'Photo',
  VIDEO: 'Video',
  AUDIO: 'Recording',
} as const satisfies Record<MediaType, string>

/** Stored types, decided by leading bytes. The client's `accept` attributes come from here too. */
export const MEDIA_MIME_TYPES = {
  IMAGE: ['image/jpeg', 'image/png', 'image/webp'],
  VIDEO: ['video/mp4', 'video/quicktime', 'video/webm', 'video/x-msvideo'],
  AUDIO: ['audio/mpeg', 'audio/mp4', 'audio/aac', 'audio/wav', 'audio/ogg'],
} as const satisfies Record<MediaType, readonly string[]>

export const mediaPageQuery = z.object({
  /** `nextCursor` of the page before: what is older follows. */
  cursor: z.optional(z.string()),
  /** `newerCursor` of a page: what is newer comes, the nearest of it. */
  newer: z.optional(z.string()),
  /** Id of the medium that the page begins with. */
  from: z.optional(z.string()),
  /** One of `MEDIA_TYPES`: only those. */
  type: z.optional(z.enum(MEDIA_TYPES)),
  invite: z.optional(z.string()),
})
export const streamQuery = z.object({
  /** `1`: the small picture for lists. */
  thumbnail: z.optional(z.string()),
  /** One of `IMAGE_WIDTHS`. */
  w: z.optional(z.string()),
  /** `1`: the untouched file, for the owner alone. */
  original: z.optional(z.string()),
  /** `caf`: an Ogg Opus recording in the one container in which every Safari since 11 plays it. */
  as: z.optional(z.literal('caf')),
  invite: z.optional(z.string()),
})
/** What is left out stays; one of the two must be there. */
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
  /** Pixels, upright; null for audio and where unknown. */
  width: number | null
  height: number | null
  durationSec: number | null
  originalFileName: string
  caption: string | null
  /** What is seen, for those who cannot see it. */
  alt: string | null
  /** Path to the thumbnail, null where there is none. */
  thumbnailPath: string | null
  /** A data URI: the picture a few pixels wide, to stand in its place until it has come. */
  placeholder: string | null
  /** Null when the owner added it. */
  contributorName: string | null
  createdAt: string
  canDelete: boolean
}

/** How many media of each type a memorial has. */
export type MediaCounts = Record<MediaType, number>
/** Newest first. */
export type MediaPage = {
  media: Media[]
  /** Where older ones follow; null at the end. */
  nextCursor: string | null
  /** In the first page; null in others. */
  counts: MediaCounts | null
  /** Where newer ones stand; null in a page that begins with the newest or follows a cursor. */
  newerCursor: string | null
  /** How many are newer than the first of a page asked for by `from`, the portrait left out; null in others. */
  newerCount: number | null
}
export type MediaPageQuery = z.output<typeof mediaPageQuery>
export type MediaUploaded = { id: string; media: Media }

/** A resumable upload. */
export type UploadState = {
  /** Bytes that are safe on the server. */
  offset: number
  /** Bytes of the whole file. */
  length: number
  expiresAt: string
  /** The medium that it became, or null. */
  mediaId: string | null
  /** That medium; null where there is none, or none any more. */
  media: Media | null
}
