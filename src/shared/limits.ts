/** Every number of the product in one place, with its unit. Source: product spec 5 and 9, server rules 1 to 11. */

const KB = 1024
const MB = 1024 * 1024
const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

export const PRICE_CENTS = 6000
export const PRICE_CURRENCY = 'usd'
export const PRICE_TEXT = '$60'

/** Years a person must be to have an account or to add to a memorial (terms). */
export const AGE_MIN = 18
/** The most we are liable for, in US dollars, unless more was paid (terms). */
export const LIABILITY_USD = 60
/** Days within which what somebody asks us to delete is deleted (privacy policy). */
export const DELETION_REQUEST_DAYS = 30

export const EMAIL_MAX = 254
export const PERSON_NAME_MAX = 100
export const PASSWORD_MIN = 8
export const PASSWORD_MAX = 128

export const HONOUREE_NAME_MAX = 100
export const MEMORIAL_TITLE_MAX = 200
export const LIFE_STORY_TEXT_MAX = 50_000
/** Raw HTML accepted before sanitising, in code points: mark-up around 50,000 characters of text. */
export const LIFE_STORY_HTML_MAX = 100_000
export const UNPAID_DRAFTS_MAX = 3
/** Deleted ones that can still be restored: each keeps its photos and films until then. */
export const UNPAID_DELETED_MAX = 10
export const DASHBOARD_MAX = 200

export const FUNERAL_EVENTS_MAX = 4
export const FUNERAL_TITLE_MAX = 200
export const VENUE_MAX = 200
export const ADDRESS_MAX = 500
export const PLACE_MAX = 100
export const POSTAL_CODE_MAX = 20
export const FUNERAL_NOTES_MAX = 1000
export const FUNERAL_DURATION_MS = 2 * HOUR_MS
export const DEFAULT_TIME_ZONE = 'Africa/Harare'

export const LOCATION_LABEL_MAX = 200
export const MAP_ZOOM = 14
export const COORDINATE_DECIMALS = 6
/** Pixels of the map picture that is asked for; shown at half that size it is sharp on every phone. */
export const MAP_IMAGE = { width: 600, height: 300 } as const
export const MAP_IMAGE_MAX_BYTES = 1 * MB
export const MAP_IMAGE_TIMEOUT_MS = 5 * SECOND_MS

export const DISPLAY_NAME_MAX = 100
export const COMMENT_MAX = 2000
export const COMMENTS_PAGE = 20
export const MEDIA_PAGE = 60
export const CAPTION_MAX = 300
export const ALT_MAX = 300
export const FILE_NAME_MAX = 120

export const CONTACT_SUBJECT_MAX = 50
export const CONTACT_MESSAGE_MAX = 2000

export const JSON_BODY_MAX_BYTES = 256 * KB
export const LIFE_STORY_BODY_MAX_BYTES = 512 * KB

/** Largest file, in bytes, by who sends it and what it is (server rules 6). */
export const MEDIA_MAX_BYTES = {
  owner: { IMAGE: 50 * MB, VIDEO: 250 * MB, AUDIO: 50 * MB },
  contributor: { IMAGE: 15 * MB, VIDEO: 250 * MB, AUDIO: 50 * MB },
} as const
/** A contributor's file that is none of the three kinds: refused in any case, from here on for its size (product spec 5). */
export const OTHER_FILE_MAX_BYTES = 10 * MB
/** The wizard's own screen limits (product spec 5), checked before a byte is sent. */
export const WIZARD_MAX_BYTES = { IMAGE: 50 * MB, VIDEO: 100 * MB, AUDIO: 50 * MB } as const
export const PROFILE_IMAGE_MAX_BYTES = 15 * MB
/** A frame of a video that stands for it. */
export const POSTER_MAX_BYTES = 1 * MB
export const PROGRAMME_MAX_BYTES = 15 * MB
export const WIZARD_PHOTOS_MAX = 20

/** What one contributor may add to one memorial. */
export const CONTRIBUTOR_QUOTA = {
  images: { max: 10 },
  video: { max: 1, maxDurationSec: 300 },
  audio: { max: 1, maxDurationSec: 600 },
} as const
/** What one memorial may hold, everybody's together. */
export const MEMORIAL_QUOTA = { images: 1000, video: 100, audio: 100, bytes: 20 * 1024 * MB } as const
export const RESERVATION_EXPIRES_MS = 24 * HOUR_MS
/** A resumable upload that got no piece for so long is given up. */
export const UPLOAD_EXPIRES_MS = 24 * HOUR_MS
/** A file that is being sent is kept on its device up to this size, so that another visit goes on by itself. */
export const PERSISTED_FILE_MAX_BYTES = 25 * MB
/** All files so kept on one device. */
export const PERSISTED_FILES_MAX_BYTES = 100 * MB
/** Storage takes a file of several parts in parts of this size, the last one smaller: R2 wants 5 MiB at the least. */
export const PART_BYTES = 5 * MB
/** How long making a medium of a whole file may take before somebody else tries. */
export const UPLOAD_FINISH_MS = 2 * MINUTE_MS

/** Decoder limits of the Images binding: https://developers.cloudflare.com/images/transform-images/ */
export const IMAGE_MAX_SIDE_PX = 12_000
export const IMAGE_MAX_PIXELS = 100_000_000
export const IMAGE_WIDTHS = [320, 640, 1280, 1920] as const
export const THUMBNAIL_WIDTH = 320
/** What a photograph of that width mostly weighs (camera photographs: 8 to 25 kB). */
export const THUMBNAIL_USUAL_BYTES = 16_000
/** Longest side of an AVIF that Images makes: https://developers.cloudflare.com/images/get-started/limits/ */
export const AVIF_MAX_SIDE_PX = 1200
/** Of a picture that is wider, all sizes are made after the upload; of a smaller one each when it is first asked for. */
export const EAGER_VARIANTS_ABOVE_PX = 640
/** Width of what stands in a picture's place until it has come. */
export const PLACEHOLDER_WIDTH = 16
export const PLACEHOLDER_MAX_BYTES = 300

/** The picture that a chat shows of a link: pixels, and what it weighs at most. Chats leave out what is much heavier. */
export const LINK_CARD = { width: 1200, height: 630, maxBytes: 200_000 } as const

/** The plaque for the grave (look.md 7): millimetres, and how much of them an engraver keeps free on each side. */
export const PLAQUE = { widthMm: 100, heightMm: 140, edgeMm: 5 } as const
/**
 * The side of its code without the white edge, at the least (look.md 7: 40), and of one square of it. Larger than asked for,
 * because there is room: it is read from further away. Millimetres.
 */
export const PLAQUE_CODE = { minMm: 46, moduleMinMm: 1 } as const
/** Letters smaller than this are worth a word with the engraver. Millimetres. */
export const PLAQUE_LETTERS_SMALL_MM = 3

/** Addresses in one file of the sitemap. */
export const SITEMAP_PAGE = 5000

/** A photograph that the phone makes smaller before it sends it: pixels of its longer side, and what it then weighs at most. */
export const PHOTO_SIDE_PX = 2048
export const PHOTO_MAX_BYTES = 700_000
/** The first that is light enough is taken. Below the last, skies and faces show it. */
export const PHOTO_QUALITIES = [0.82, 0.74, 0.66] as const
/** The picture that stands for a film, taken from it by the browser. */
export const POSTER_SIDE_PX = 1280
export const POSTER_SENT_BYTES = 150_000
export const POSTER_QUALITIES = [0.8, 0.6, 0.4] as const
/** Bits a second of a voice that is recorded in the page: 2.4 MB for ten minutes of Opus, and AAC needs twice as much. */
export const VOICE_BITS = { opus: 32_000, aac: 64_000 } as const
/** The longest recording made in the page where no limit of a contributor holds. */
export const VOICE_MAX_SEC = 3600

export const SESSION_EXPIRES_MS = 30 * DAY_MS
export const SESSION_RENEW_AFTER_MS = 1 * DAY_MS
export const SESSION_ABSOLUTE_MS = 90 * DAY_MS
export const CONTRIBUTOR_SESSION_EXPIRES_MS = 180 * DAY_MS
export const VERIFY_TOKEN_EXPIRES_MS = 1 * DAY_MS
export const RESET_TOKEN_EXPIRES_MS = 1 * HOUR_MS
export const UNVERIFIED_ACCOUNT_EXPIRES_MS = 7 * DAY_MS
/** How far ahead `security.txt` says that it will still be true. RFC 9116 advises less than a year. */
export const SECURITY_TXT_EXPIRES_MS = 180 * DAY_MS
export const DELETED_RESTORABLE_MS = 30 * DAY_MS
/** Memorials, and accounts, that one run of the purge removes for good. */
export const PURGE_BATCH = 25
/** Media, and messages, that an export reads at once. */
export const EXPORT_PAGE = 200
/** What a part of an export holds at most, but for a film that is larger: what a line that breaks costs. */
export const EXPORT_PART_BYTES = 500 * MB
/** A larger memorial is exported in parts alone: a Worker has 30 s of CPU for one answer (docs/decisions/0032). */
export const EXPORT_WHOLE_MAX_BYTES = 2300 * MB

/** Counted by the Throttle object, so they hold worldwide. Limits by IP address are in wrangler.toml. */
export const THROTTLE = {
  loginFailures: { limit: 10, windowMs: 15 * MINUTE_MS },
  mailsToMailbox: { limit: 3, windowMs: HOUR_MS },
  comments: { limit: 10, windowMs: MINUTE_MS },
  /** Of one contributor. */
  commentsADay: { limit: 200, windowMs: DAY_MS },
  /** Of everybody who came by one invitation link: a new link begins anew. The owner's own do not count. */
  guestbookADay: { limit: 1000, windowMs: DAY_MS },
  uploads: { limit: 60, windowMs: HOUR_MS },
  /** Of one owner, to all memorials: more than one holds. Each photo is made into several sizes, which costs. */
  ownerUploads: { limit: 2000, windowMs: DAY_MS },
  /** Tries to make one size of one picture because somebody asks for it. */
  pictures: { limit: 3, windowMs: HOUR_MS },
  /** Pictures sent for one video: each is made into several sizes, which costs. */
  posters: { limit: 10, windowMs: HOUR_MS },
  /** New PaymentIntents of one account: against card testing. Asking again for an open one does not count. */
  paymentIntents: { limit: 10, windowMs: HOUR_MS },
  accountExports: { limit: 5, windowMs: HOUR_MS },
  /** Of one owner, each part counted: the most that a memorial holds comes in 41 parts. */
  memorialExports: { limit: 60, windowMs: HOUR_MS },
  /** Drawn for one account: each takes a tenth of a second of a processor, and 20 MB. */
  plaques: { limit: 60, windowMs: HOUR_MS },
  /** Looks at Stripe that one account asks for; the page asks a few times after each payment. */
  paymentSyncs: { limit: 60, windowMs: 5 * MINUTE_MS },
  /** Calls that make the edge forget pages; Cloudflare takes 5 a minute of all Workers together. */
  cachePurges: { limit: 5, windowMs: MINUTE_MS },
} as const

/** Most tags in one such call. */
export const CACHE_TAGS_PER_CALL = 100
/** So long after an urgent one it is said again: by then every replica of the database knows why. */
export const CACHE_PURGE_REPEAT_MS = 90 * SECOND_MS

export const STRIPE_TIMEOUT_MS = 8 * SECOND_MS
export const STRIPE_RETRIES = 1
export const WEBHOOK_TOLERANCE_SEC = 300
export const PAYMENT_RECONCILE_AFTER_MS = 15 * MINUTE_MS
/** How many payments one cron run asks Stripe about. */
export const PAYMENT_RECONCILE_BATCH = 25
/** How far back cron looks for events whose webhook never came; Stripe itself tries for three days. */
export const STRIPE_EVENTS_SINCE_MS = 4 * DAY_MS
/** Most events of that time that one run looks at. */
export const STRIPE_EVENTS_MAX = 500
export const WEBHOOK_BODY_MAX_BYTES = 256 * KB
export const PAYMENTS_LISTED_MAX = 200

export const TOKENS_BATCH = 50
/** Most invitation tokens made by one press of the button. */
export const ADMIN_TOKENS_MAX = 500
/** Fewer available than this is worth a warning (product spec 9). */
export const LOW_TOKENS = 20
export const ADMIN_PAGE = 20
/** How many matches the console's search lists at most: the newest. */
export const SEARCH_MOST = 1000
/** How many of the things that happened last the console shows. */
export const ADMIN_ACTIVITY = 20
/** How long the console waits for one part of the system. */
export const SYSTEM_CHECK_TIMEOUT_MS = 4 * SECOND_MS
/** How long `/api/health` says the same again: whoever asks often learns nothing more, and costs nothing more. */
export const HEALTH_CACHE_MS = 10 * SECOND_MS
/** How long it waits for one part. */
export const HEALTH_TIMEOUT_MS = 3 * SECOND_MS
/** So long somebody who began to look is believed to be looking: nothing tells when their request was cut off. */
export const HEALTH_CHECK_LEASE_MS = HEALTH_TIMEOUT_MS + SECOND_MS
/** Code points of what a browser reports of an error. */
export const CLIENT_ERROR_MAX = { name: 60, message: 200, release: 80 } as const
/** The whole report, in bytes. */
export const CLIENT_ERROR_BODY_MAX_BYTES = 2 * KB
/** Errors that one page reports at most. */
export const CLIENT_ERRORS_PER_PAGE_LOAD = 3
/** Memorials that the console names as the largest. */
export const LARGEST_MEMORIALS = 10
/** How far back the console counts failed payments. */
export const FAILED_PAYMENTS_SINCE_MS = 7 * DAY_MS
/** A mail that waits longer means that mail stands still. */
export const MAIL_LATE_MS = 15 * MINUTE_MS
/** How long a search waits for the next letter. */
export const SEARCH_DEBOUNCE_MS = 300

export const TOAST_MS = 5000
/** How long a notification stands before the next may take its place: long enough to be read. */
export const TOAST_MIN_MS = 1500

/** What the service worker keeps on a device to be read without a connection (docs/decisions/0028). */
export const OFFLINE_MEMORIALS = 10
export const OFFLINE_MAX_BYTES = 30 * MB
/** Pictures of one memorial: the rest of what it has is read when there is a connection. */
export const OFFLINE_PICTURES_MAX_BYTES = 8 * MB
export const OFFLINE_PICTURE_MAX_BYTES = 1 * MB
/** The widest size of a picture that is kept; it stands in for wider ones. */
export const OFFLINE_PICTURE_MAX_WIDTH = 1280
/** Scripts, styles and fonts, of this and earlier versions. */
export const OFFLINE_ASSETS = 200
/** After this long without an answer, what is kept is shown; a later answer still counts. */
export const OFFLINE_AFTER_MS = 5 * SECOND_MS

/** Backups and earlier states of the database are kept no longer: the privacy page says so. Days. */
export const BACKUP_RETENTION_DAYS = 30
