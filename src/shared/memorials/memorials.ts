import type { KeeperRole } from '../keepers/keepers.ts'
import * as z from 'zod/mini'
import type { Comment } from '../comments/comments.ts'
import type { FuneralEvent } from '../funeral/funeral.ts'
import { DATE_PRECISIONS, type LifeDates } from './life-dates.ts'
import { HONOUREE_NAME_MAX, LIFE_STORY_HTML_MAX, LIFE_STORY_TEXT_MAX, MEMORIAL_TITLE_MAX } from '../limits.ts'
import type { MemorialLocation } from './location.ts'
import type { Media, MediaCounts } from '../media/media.ts'
import { letInRefusals } from '../invites/let-in-refusals.ts'
import { messages } from '../messages.ts'
import { line, lineOrNull } from '../text.ts'
import { codePoints } from '../code-points.ts'

/** Who may ask the family to be let in, by the memorial's address. */
export const MAY_ASK = ['NOBODY', 'INVITE_ONLY', 'ALSO_PRIVATE'] as const
export type MayAsk = (typeof MAY_ASK)[number]

export const PRIVACY = ['PRIVATE', 'INVITE', 'LOCKED'] as const
export type Privacy = (typeof PRIVACY)[number]
/** Who may leave a message on the public page, besides nobody: everybody, once the family has read it, or at once. */
export const VISITOR_MESSAGES = ['NOBODY', 'APPROVED', 'AT_ONCE'] as const
/** How often the owner gets a mail that something waits: at once after each visit and then daily, once a day, once a week, or never. */
export const TELL_OWNER = ['AT_ONCE', 'DAILY', 'WEEKLY', 'NEVER'] as const
export type VisitorMessages = (typeof VISITOR_MESSAGES)[number]
export type TellOwner = (typeof TELL_OWNER)[number]
export const MEMORIAL_STATUS = ['DRAFT', 'ACTIVE', 'REMOVED', 'DELETED'] as const
export type MemorialStatus = (typeof MEMORIAL_STATUS)[number]

const CALENDAR_DATE = /^(\d{4})-(\d{2})-(\d{2})$/u

/** True for a `YYYY-MM-DD` that exists in the calendar, from the year 1500 on. */
export function isCalendarDate(value: string): boolean {
  const match = CALENDAR_DATE.exec(value)
  if (!match) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const date = new Date(Date.UTC(year, month - 1, day))
  return (
    year >= 1500 &&
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day
  )
}

const calendarDate = () =>
  z.pipe(
    z.nullable(z.string(messages.memorial.dateInvalid)).check(
      z.refine((value) => value === null || value === '' || isCalendarDate(value), {
        error: messages.memorial.dateInvalid,
      }),
    ),
    z.transform((value) => (value === '' ? null : value)),
  )

const datePrecision = () => z.enum(DATE_PRECISIONS, messages.memorial.precisionInvalid)

const basics = {
  honoureeFullName: line({
    max: HONOUREE_NAME_MAX,
    required: messages.memorial.nameRequired,
    tooLong: messages.memorial.nameTooLong,
  }),
  title: z.optional(lineOrNull({ max: MEMORIAL_TITLE_MAX, tooLong: messages.memorial.titleTooLong })),
  dateOfBirth: z.optional(calendarDate()),
  /** Without it, a changed date is exact, and an unchanged one stays as exact as it was. */
  dateOfBirthPrecision: z.optional(datePrecision()),
  dateOfDeath: z.optional(calendarDate()),
  dateOfDeathPrecision: z.optional(datePrecision()),
}

/** Why a story is too large: its text, or the markup around it. A character that markup writes as an entity counts once. */
function storyTooLarge(html: unknown): string {
  const text = typeof html === 'string' ? html.replace(/<[^<>]*>/gu, '').replace(/&#?\w{1,32};/gu, '&') : ''
  const { storyTooLong, storyTooMuchMarkup } = messages.memorial
  return codePoints(text) > LIFE_STORY_TEXT_MAX ? storyTooLong : storyTooMuchMarkup
}

export const createMemorialInput = z.object(basics)
export const updateMemorialInput = z.partial(
  z.object({
    ...basics,
    lifeStory: z.nullable(
      z.string().check(
        z.refine((value) => codePoints(value) <= LIFE_STORY_HTML_MAX, {
          error: ({ input }) => storyTooLarge(input),
          params: { maxLength: LIFE_STORY_HTML_MAX },
        }),
      ),
    ),
    coverMediaId: z.nullable(z.string()),
    profileMediaId: z.nullable(z.string()),
    showLocation: z.boolean(),
    allowSearchEngines: z.boolean(),
    /** Link previews of the invitation show the name, years and portrait. */
    showInvitePreview: z.boolean(),
    /** What contributors add from now on is hidden until the family shows it. */
    holdNew: z.boolean(),
    /** Whether visitors of the public page may leave messages, and whether the family reads them first. */
    visitorMessages: z.enum(VISITOR_MESSAGES, messages.visitors.choiceInvalid),
    /** Who may ask to be let in. */
    mayAsk: z.enum(MAY_ASK, letInRefusals.choiceInvalid),
    /** How often we mail the owner that something waits. */
    tellOwner: z.enum(TELL_OWNER, messages.telling.choiceInvalid),
    /** The `updatedAt` that the editor last read; a mismatch is 409 `edited_elsewhere`. */
    updatedAt: z.string(),
  }),
)
export const updatePrivacyInput = z.object({ privacy: z.enum(PRIVACY, messages.memorial.privacyInvalid) })
export const deleteMemorialInput = z.object({ confirmName: z.string() })
export const inviteQuery = z.object({ invite: z.optional(z.string()) })

export type CreateMemorialInput = z.output<typeof createMemorialInput>
export type UpdateMemorialInput = z.output<typeof updateMemorialInput>

/** A memorial as every viewer sees it. The owner's email address is never included. */
export type Memorial = LifeDates & {
  id: string
  /** The real account id for people who may edit; a pseudonymous id for everyone else. */
  ownerId: string
  slug: string
  title: string | null
  honoureeFullName: string
  coverMediaId: string | null
  profileMediaId: string | null
  /** Sanitised HTML. */
  lifeStory: string | null
  status: MemorialStatus
  privacy: Privacy
  lockedAt: string | null
  showLocation: boolean
  allowSearchEngines: boolean
  showInvitePreview: boolean
  /** New contributions are hidden until the family shows them. */
  holdNew: boolean
  visitorMessages: VisitorMessages
  /** How often we mail the owner that something waits; only for people who may edit. */
  tellOwner?: TellOwner
  /** Who may ask to be let in; only for people who may edit. */
  mayAsk?: MayAsk
  isPaid: boolean
  createdAt: string
  updatedAt: string
}

export type ViewerRole = 'OWNER' | 'ADMIN' | KeeperRole | 'CONTRIBUTOR' | 'VISITOR'
/** True for the owner and those who look after the memorial with them. */
export function isOfFamily(role: ViewerRole): boolean {
  return role === 'OWNER' || role === 'KEEPER' || role === 'HELPER'
}
/** The caller's permissions. The client relies on this and derives no permission itself. */
export type MemorialViewer = {
  role: ViewerRole
  canContribute: boolean
  canEdit: boolean
  /** A CONTRIBUTOR who left words on the public page and was never invited. */
  isVisitor?: true
}

/** What others added since this owner, keeper or helper last opened the memorial, at `since`. `you`: the name they add under; null for the owner. */
export type News = { items: number; people: number; since: string; you: string | null }

export type MemorialView = {
  memorial: Memorial
  /** The first of `funeralEvents`, or null. */
  funeralEvent: FuneralEvent | null
  funeralEvents: FuneralEvent[]
  location: MemorialLocation | null
  /** Placeholder of the portrait, or of the cover if there is none: see {@link Media.placeholder}. */
  portraitPlaceholder: string | null
  viewer: MemorialViewer
  /** Only for those who look after it, and null before they have opened it once. */
  news: News | null
}

export type PublicMemorialView = MemorialView & {
  media: Media[]
  mediaCursor: string | null
  mediaCounts: MediaCounts
  comments: Comment[]
  commentsCursor: string | null
}

/** `serviceCount` and `hasLocation` say, with the memorial itself, which steps of its setup are done. */
export type DashboardMemorial = Memorial & {
  mediaCount: number
  commentCount: number
  serviceCount: number
  hasLocation: boolean
  news: News | null
  /** When an unpaid memorial that its owner no longer uses is removed; null if not, or not in the next 30 days. */
  removedOn: string | null
}
/** A memorial in its 30 days of grace. Both times are instants; after `restorableUntil` it is deleted permanently. */
export type DeletedMemorial = {
  id: string
  honoureeFullName: string
  deletedAt: string
  restorableUntil: string
}
/** A memorial that an admin removed: only they can restore it. `reason` is theirs; null if they wrote none. */
export type RemovedMemorial = { id: string; honoureeFullName: string; reason: string | null }
export type HiddenMemorials = { memorials: DeletedMemorial[]; removed: RemovedMemorial[] }
/** A memorial that somebody else owns and this person looks after with them. */
export type KeptMemorial = {
  id: string
  honoureeFullName: string
  role: KeeperRole
  privacy: Privacy
  news: News | null
  /** It was this person's, who can take it back from its owner until then (an instant). */
  takeBack?: { owner: string; until: string }
}
/** `kept`: left out if there are none. */
export type Dashboard = { memorials: DashboardMemorial[]; kept?: KeptMemorial[] }
