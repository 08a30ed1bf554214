import {
  MEDIA_MAX_BYTES,
  OTHER_FILE_MAX_BYTES,
  PROFILE_IMAGE_MAX_BYTES,
  PROGRAMME_MAX_BYTES,
  WIZARD_MAX_BYTES,
} from '#shared/limits.ts'
import type { MediaType } from '#shared/media/media-types.ts'
import { fileTooLarge, formatBytes, messages } from '#shared/messages.ts'

/** What is known of a file before it is read; a `File` fits. */
export type FileFacts = { name: string; type: string; size: number }

/** Why a file is refused: the notification's title, the sentence, and what the user can do. */
export type FileProblem = { title: string; text: string; advice?: string }

/** The sentence and the advice as one text. */
export function problemText({ text, advice }: FileProblem): string {
  return [text, advice].filter(Boolean).join('. ')
}

/** What one file picker accepts. */
export type MediaRule = {
  type: MediaType
  /** Checks name, declared type and size: why the file is refused, or null. */
  problemOf: (file: FileFacts) => FileProblem | null
  /** Message for a file whose bytes are of another type than its name says. */
  wrongType: string
  /** Seconds; null without a limit. */
  maxDurationSec: number | null
}

type Accepted = { mimeTypes: readonly string[]; extensions: readonly string[] }

/** Phones declare one format in many ways: these are types seen in practice, not only registered ones. */
const ACCEPTED = {
  IMAGE: {
    mimeTypes: ['image/jpeg', 'image/jpg', 'image/pjpeg', 'image/png', 'image/webp'],
    extensions: ['jpg', 'jpeg', 'png', 'webp'],
  },
  VIDEO: {
    mimeTypes: [
      'video/mp4',
      'video/x-m4v',
      'video/quicktime',
      'video/webm',
      'video/x-msvideo',
      'video/avi',
      'video/msvideo',
    ],
    extensions: ['mp4', 'm4v', 'mov', 'qt', 'webm', 'avi'],
  },
  AUDIO: {
    mimeTypes: [
      'audio/mpeg',
      'audio/mp3',
      'audio/mp4',
      'audio/m4a',
      'audio/x-m4a',
      'audio/aac',
      'audio/x-aac',
      'audio/wav',
      'audio/wave',
      'audio/x-wav',
      'audio/vnd.wave',
      'audio/ogg',
      'audio/opus',
    ],
    // ogg and opus: WhatsApp's voice notes.
    extensions: ['mp3', 'm4a', 'aac', 'wav', 'ogg', 'oga', 'opus'],
  },
} as const satisfies Record<MediaType, Accepted>

const PDF: Accepted = { mimeTypes: ['application/pdf', 'application/x-pdf'], extensions: ['pdf'] }

function acceptOf({ mimeTypes, extensions }: Accepted): string {
  return [...mimeTypes, ...extensions.map((extension) => `.${extension}`)].join(',')
}

/** Values for the `accept` attribute of a file input. */
export const accept = {
  IMAGE: acceptOf(ACCEPTED.IMAGE),
  VIDEO: acceptOf(ACCEPTED.VIDEO),
  AUDIO: acceptOf(ACCEPTED.AUDIO),
  media: Object.values(ACCEPTED).map(acceptOf).join(','),
  programme: acceptOf(PDF),
} as const

/** By the declared type; if there is none or only a generic one, by the extension. */
function fits(file: FileFacts, { mimeTypes, extensions }: Accepted): boolean {
  const type = file.type.toLowerCase().split(';')[0]?.trim() ?? ''
  if (mimeTypes.includes(type)) return true
  const isUnknown = type === '' || type === 'application/octet-stream' || type === 'application/ogg'
  const extension = file.name.toLowerCase().split('.').at(-1) ?? ''
  return isUnknown && file.name.includes('.') && extensions.includes(extension)
}

/** The media type that a file declares, or null if a memorial doesn't support it. */
export function mediaTypeOf(file: FileFacts): MediaType | null {
  if (fits(file, ACCEPTED.IMAGE)) return 'IMAGE'
  if (fits(file, ACCEPTED.VIDEO)) return 'VIDEO'
  return fits(file, ACCEPTED.AUDIO) ? 'AUDIO' : null
}

/** The problem of a file that has the wrong type or cannot be read. */
export function invalidFile(text: string): FileProblem {
  return { title: messages.media.invalidFileTitle, text }
}

const tooLarge = (text: string, advice?: string): FileProblem => ({
  title: messages.media.tooLargeTitle,
  text,
  ...(advice ? { advice } : {}),
})

function sizeAdvice(type: MediaType, size: number, max: number): string | undefined {
  if (type !== 'VIDEO') return undefined
  return `This video is ${formatBytes(size)}; the limit is ${formatBytes(max)}. On WhatsApp, send it to yourself first: that makes it smaller.`
}

/** Why a file is refused that should be of these types and of at most `max` bytes, or null. */
function refusal(
  file: FileFacts,
  accepted: Accepted,
  texts: { type: string; size: string },
  max: number,
  advice?: string,
): FileProblem | null {
  if (!fits(file, accepted)) return invalidFile(texts.type)
  if (file.size === 0) return invalidFile(messages.media.empty)
  return file.size > max ? tooLarge(texts.size, advice) : null
}

const WIZARD_MESSAGES = {
  IMAGE: { type: messages.media.imageType, size: messages.media.imageSize },
  VIDEO: { type: messages.media.videoType, size: messages.media.videoSize },
  AUDIO: { type: messages.media.audioType, size: messages.media.audioSize },
} as const

/** Why the wizard refuses a file of this type, or null. */
export function wizardFileProblem(type: MediaType, file: FileFacts): FileProblem | null {
  const max = WIZARD_MAX_BYTES[type]
  return refusal(file, ACCEPTED[type], WIZARD_MESSAGES[type], max, sizeAdvice(type, file.size, max))
}

/** The wizard's rule for a type: the owner's files have no duration limit. */
export function wizardRule(type: MediaType): MediaRule {
  return {
    type,
    problemOf: (file) => wizardFileProblem(type, file),
    wrongType: WIZARD_MESSAGES[type].type,
    maxDurationSec: null,
  }
}

/** The memorial page's message for a file of the wrong type. */
export const CONTRIBUTOR_WRONG_TYPE = {
  IMAGE: messages.media.contributorImageType,
  VIDEO: messages.media.contributorVideoType,
  AUDIO: messages.media.contributorAudioType,
} as const

/** Why a memorial's uploader refuses a file, or null. `type`: the expected type; null for an unsupported dropped file. */
export function contributorFileProblem(
  type: MediaType | null,
  file: FileFacts,
  sender: keyof typeof MEDIA_MAX_BYTES = 'contributor',
): FileProblem | null {
  const max = type === null ? OTHER_FILE_MAX_BYTES : MEDIA_MAX_BYTES[sender][type]
  if (type === null) {
    return file.size > max
      ? tooLarge(fileTooLarge(file.size, max))
      : invalidFile(messages.media.contributorOtherType)
  }
  const texts = { type: CONTRIBUTOR_WRONG_TYPE[type], size: fileTooLarge(file.size, max) }
  return refusal(file, ACCEPTED[type], texts, max, sizeAdvice(type, file.size, max))
}

/** Why a file cannot be the portrait, or null. */
export function profileImageProblem(file: FileFacts): FileProblem | null {
  const texts = { type: messages.media.profileType, size: messages.media.profileSize }
  return refusal(file, ACCEPTED.IMAGE, texts, PROFILE_IMAGE_MAX_BYTES)
}

export const portraitRule: MediaRule = {
  type: 'IMAGE',
  problemOf: profileImageProblem,
  wrongType: messages.media.profileType,
  maxDurationSec: null,
}

/** Why a file cannot be a service's printed programme, or null. */
export function programmeProblem(file: FileFacts): FileProblem | null {
  const texts = { type: messages.programme.pdfOnly, size: messages.programme.pdfTooLarge }
  return refusal(file, PDF, texts, PROGRAMME_MAX_BYTES)
}
