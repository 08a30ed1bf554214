export const MEDIA_TYPES = ['IMAGE', 'VIDEO', 'AUDIO'] as const
export type MediaType = (typeof MEDIA_TYPES)[number]

/** The word for a media item within a sentence. */
export const MEDIA_NOUN = {
  IMAGE: 'photo',
  VIDEO: 'video',
  AUDIO: 'recording',
} as const satisfies Record<MediaType, string>
/** The same word at the start of a sentence or label. */
export const MEDIA_NAME = {
  IMAGE: 'Photo',
  VIDEO: 'Video',
  AUDIO: 'Recording',
} as const satisfies Record<MediaType, string>

/** Stored types, detected from leading bytes. The client's `accept` attributes use them too. */
export const MEDIA_MIME_TYPES = {
  IMAGE: ['image/jpeg', 'image/png', 'image/webp'],
  VIDEO: ['video/mp4', 'video/quicktime', 'video/webm', 'video/x-msvideo'],
  AUDIO: ['audio/mpeg', 'audio/mp4', 'audio/aac', 'audio/wav', 'audio/ogg'],
} as const satisfies Record<MediaType, readonly string[]>
