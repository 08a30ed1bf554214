/**
 * Every number of the product in one place. A name says its unit: `_MS` milliseconds, `_SEC` seconds, `_BYTES` bytes,
 * `_PX` pixels. Text limits count code points.
 */

const KB = 1024
const MB = 1024 * 1024
const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

export const PRICE_CENTS = 6000
export const PRICE_CURRENCY = 'usd'
export const PRICE_TEXT = '$60'

/** Minimum age in years for an account and for adding to a memorial (terms). */
export const AGE_MIN = 18
/** Cap on our liability in US dollars, unless the customer paid more (terms). */
export const LIABILITY_USD = 60
/** Days within which we delete what a person asks us to delete (privacy policy). */
export const DELETION_REQUEST_DAYS = 30

export const EMAIL_MAX = 254
export const PERSON_NAME_MAX = 100
export const PASSWORD_MIN = 8
export const PASSWORD_MAX = 128

export const HONOUREE_NAME_MAX = 100
export const MEMORIAL_TITLE_MAX = 200
/** How many years an approximate year of birth or death may be wrong before a death counts as earlier than the birth. */
export const ABOUT_YEARS = 10
export const LIFE_STORY_TEXT_MAX = 50_000
/** Code points of raw HTML accepted before sanitising: leaves room for mark-up around 50,000 characters of text. */
export const LIFE_STORY_HTML_MAX = 100_000
export const UNPAID_DRAFTS_MAX = 3
/** Unpaid memorials in the 30 days after deletion. Limited because each keeps its files until they are over. */
export const UNPAID_DELETED_MAX = 10
/** Bytes that an unpaid memorial may hold. Paying raises it to `MEMORIAL_QUOTA.bytes` at once. */
export const DRAFT_MAX_BYTES = 1024 * MB
/** An unpaid memorial is removed when its owner has not changed, added to or opened it for this long. */
export const DRAFT_EXPIRES_MS = 90 * DAY_MS
/** Two mails say so, this long before. */
export const DRAFT_NOTICES_MS = [30 * DAY_MS, 7 * DAY_MS] as const
/** Drafts that one hourly run mails about or removes. */
export const DRAFTS_BATCH = 25
/** How long somebody can confirm that they want mails about a memorial. */
export const FOLLOW_CONFIRM_MS = 7 * DAY_MS
/** The least time between two mails to them about what was added. */
export const NEWS_EVERY_MS = 7 * DAY_MS
/** Followers whom one batch looks at, and batches per run. */
export const FOLLOWERS_BATCH = 200
export const FOLLOWER_PAGES_MAX = 5
/** Memorials whose owners one run mails that something waits. */
export const TELL_BATCH = 100
export const DASHBOARD_MAX = 200

/** Funeral services, and gatherings after the funeral, of one memorial. */
export const FUNERAL_EVENTS_MAX = 4
export const LATER_GATHERINGS_MAX = 8
export const FUNERAL_TITLE_MAX = 200
export const VENUE_MAX = 200
export const ADDRESS_MAX = 500
export const PLACE_MAX = 100
export const POSTAL_CODE_MAX = 20
export const FUNERAL_NOTES_MAX = 1000
/** How long a gathering without an end is assumed to take. */
export const FUNERAL_DURATION_MS = 2 * HOUR_MS
export const GATHERING_MAX_MS = 14 * DAY_MS
/** After this time gatherings fold into one line and the life story comes first. */
export const GATHERINGS_FOLD_MS = 3 * DAY_MS
export const DRESS_MAX = 200
export const BRING_MAX = 500
/** Directions in words. */
export const WAY_THERE_MAX = 500
export const GATHERING_CONTACT_MAX = 200
export const LINK_MAX = 2000
/** Gatherings that a page shows in full; the others are in a fold. */
export const GATHERINGS_SHOWN = 4
/** A stream says in hours when it begins, from this long before. */
export const STREAM_SOON_MS = 6 * HOUR_MS
/** Gatherings whose pages one run of the schedule renews. */
export const TURNS_BATCH = 500
/** People that one reply can name, and the most that a gathering can hold. */
export const REPLY_PEOPLE_MAX = 20
export const CAPACITY_MAX = 100_000
export const REPLY_WORDS_MAX = 500
/** Replies that one answer lists. */
export const REPLIES_PAGE = 100
/** What those did who look after a memorial is kept for twelve months, and read in pages of this size. */
export const FAMILY_ACTIONS_KEPT_MS = 365 * DAY_MS
export const FAMILY_ACTIONS_PAGE = 50
/** People who look after one memorial with its owner, and open invitations to do so. */
/** Requests to be let in that wait at a memorial, and for how long any is kept. */
export const LET_IN_WAITING_MAX = 100
export const LET_IN_KEPT_MS = 90 * DAY_MS
/** Named invitation links of a memorial, beside the first one. */
export const INVITATIONS_MAX = 20
export const INVITATION_NAME_MAX = 60
export const PIN_DIGITS_MIN = 4
export const PIN_DIGITS_MAX = 8
export const KEEPERS_MAX = 20
export const KEEPER_INVITES_MAX = 20
export const KEEPER_INVITE_EXPIRES_MS = 7 * DAY_MS
/** How long a keeper has to accept that a memorial is handed over to them. */
export const HANDOVER_EXPIRES_MS = 7 * DAY_MS
/** How long its former owner can take it back. */
export const TAKE_BACK_MS = 7 * DAY_MS
/** People whom an owner names to ask for a memorial after them. */
export const SUCCESSORS_MAX = 2
/** After so many months without the owner we ask whether they're there. */
export const SUCCESSION_MONTHS = [6, 12, 24] as const
/** From each mail that asks an owner whether they are there to the next, and from the last one until successors may claim: 30 days in all. */
export const SUCCESSION_STEPS_MS = [14 * DAY_MS, 13 * DAY_MS, 3 * DAY_MS] as const
/** How long the owner before may take back a memorial that a successor claimed. */
export const CLAIM_UNDONE_MS = 90 * DAY_MS
/** Memorials whose successions one run takes a step further. */
export const SUCCESSIONS_BATCH = 100
/** A reply's form that is sent again within this time, without script and without its cookie, is the same reply. */
export const REPLY_REPEAT_MS = 10 * MINUTE_MS
/** Replies are deleted this long after their gathering, unless the owner keeps them. */
export const REPLIES_KEPT_MS = 90 * DAY_MS
/** A change is not marked on the page if it corrects what was entered less than this long ago. */
export const CHANGE_SETTLES_MS = 1 * HOUR_MS
export const DEFAULT_TIME_ZONE = 'Africa/Harare'

export const LOCATION_LABEL_MAX = 200
export const MAP_ZOOM = 14
export const COORDINATE_DECIMALS = 6
/** Pixels of the static map. The page shows it at half that size, so it is sharp on high-density screens. */
export const MAP_IMAGE = { width: 600, height: 300 } as const
export const MAP_IMAGE_MAX_BYTES = 1 * MB
export const MAP_IMAGE_TIMEOUT_MS = 5 * SECOND_MS

export const DISPLAY_NAME_MAX = 100
export const COMMENT_MAX = 2000
/** How a visitor knew the person. */
export const RELATION_MAX = 60
/** So many of their own messages a visitor's browser lists. */
export const VISITOR_WORDS_LISTED = 50
export const COMMENTS_PAGE = 20
export const MEDIA_PAGE = 60
export const CAPTION_MAX = 300
export const ALT_MAX = 300
export const FILE_NAME_MAX = 120

export const CONTACT_SUBJECT_MAX = 50
export const CONTACT_MESSAGE_MAX = 2000
/** A request to remove something becomes a contact message: both fields fit into one. */
export const REMOVAL_REQUEST_MEMORIAL_MAX = 200
export const REMOVAL_REQUEST_WHAT_MAX = 1500

export const JSON_BODY_MAX_BYTES = 256 * KB
export const LIFE_STORY_BODY_MAX_BYTES = 512 * KB

/** Largest upload in bytes, by sender and media type. */
export const MEDIA_MAX_BYTES = {
  owner: { IMAGE: 50 * MB, VIDEO: 250 * MB, AUDIO: 50 * MB },
  contributor: { IMAGE: 15 * MB, VIDEO: 250 * MB, AUDIO: 50 * MB },
} as const
/** Bytes. A contributor's file of an unsupported type is always refused; above this size the message names its size. */
export const OTHER_FILE_MAX_BYTES = 10 * MB
/** Bytes. The wizard's own limits, checked in the browser before it sends anything. */
export const WIZARD_MAX_BYTES = { IMAGE: 50 * MB, VIDEO: 100 * MB, AUDIO: 50 * MB } as const
export const PROFILE_IMAGE_MAX_BYTES = 15 * MB
/** Bytes. A poster is one frame of a video, so it needs far less than a photo. */
export const POSTER_MAX_BYTES = 1 * MB
export const PROGRAMME_MAX_BYTES = 15 * MB
export const WIZARD_PHOTOS_MAX = 20

/** Files and seconds that one contributor may add to one memorial. */
export const CONTRIBUTOR_QUOTA = {
  images: { max: 10 },
  video: { max: 1, maxDurationSec: 300 },
  audio: { max: 1, maxDurationSec: 600 },
} as const
/** Files and bytes that one memorial may hold, from all people together. */
export const MEMORIAL_QUOTA = { images: 1000, video: 100, audio: 100, bytes: 20 * 1024 * MB } as const
/** A reservation ends this long after it was made if no byte of its file arrives. */
export const RESERVATION_UNSTARTED_MS = 15 * MINUTE_MS
/** A reservation ends this long after the last chunk. A later chunk reserves again: its upload lives longer. */
export const RESERVATION_IDLE_MS = 60 * MINUTE_MS
/** Share of a memorial's free bytes that all open reservations of one invitation link may hold together. */
export const LINK_RESERVATIONS_SHARE = 1 / 4
/** The server discards a resumable upload that has received no chunk for this long. */
export const UPLOAD_EXPIRES_MS = 24 * HOUR_MS
/** A file up to this size is stored on the device during its upload, so that a later visit can resume it. */
export const PERSISTED_FILE_MAX_BYTES = 25 * MB
/** Limit for all stored files of one device together. */
export const PERSISTED_FILES_MAX_BYTES = 100 * MB
/** Part size of R2 multipart uploads: R2's minimum of 5 MiB. Only the last part may be smaller. */
export const PART_BYTES = 5 * MB
/** Lease on turning a complete upload into a media item. After it, another request may retry. */
export const UPLOAD_FINISH_MS = 2 * MINUTE_MS

/** Decoder limits of the Images binding: https://developers.cloudflare.com/images/transform-images/ */
export const IMAGE_MAX_SIDE_PX = 12_000
export const IMAGE_MAX_PIXELS = 100_000_000
export const IMAGE_WIDTHS = [320, 480, 640, 1280, 1920] as const
/** Of a portrait on most phones. Other photos are not shown in this width, and get it on request. */
export const PORTRAIT_WIDTH = 480
export const THUMBNAIL_WIDTH = 320
/** Typical size of a thumbnail made from a camera photo (8 to 25 kB). Used for estimates on screen. */
export const THUMBNAIL_USUAL_BYTES = 16_000
/** Longest side of an AVIF from Images: https://developers.cloudflare.com/images/get-started/limits/ */
export const AVIF_MAX_SIDE_PX = 1200
/** Images wider than this get all variants right after the upload; smaller ones get each variant on first request. */
export const EAGER_VARIANTS_ABOVE_PX = 640
/** Width in pixels of the blurred placeholder that is inlined until the image loads. */
export const PLACEHOLDER_WIDTH = 16
export const PLACEHOLDER_MAX_BYTES = 300

/** The preview image of a shared link, in pixels. Messengers skip images much heavier than `maxBytes`. */
export const LINK_CARD = { width: 1200, height: 630, maxBytes: 200_000 } as const
/** The picture of an announcement to forward, in pixels: for a chat, and for a status, which fills a phone's screen. */
export const ANNOUNCEMENT_CARD = {
  portrait: { width: 1080, height: 1350 },
  story: { width: 1080, height: 1920 },
} as const
/** People on prepaid data forward it. */
export const ANNOUNCEMENT_CARD_MAX_BYTES = 250_000

/** The plaque for the grave, in millimetres. `edgeMm` is the margin that the engraver keeps free on each side. */
export const PLAQUE = { widthMm: 100, heightMm: 140, edgeMm: 5 } as const
/**
 * Minimum size of the plaque's QR code without its white border, and of one of its squares, in millimetres. 40 mm
 * would scan; the plaque has room for more, and a larger code scans from further away.
 */
export const PLAQUE_CODE = { minMm: 46, moduleMinMm: 1 } as const
/** The plaque warns about letters smaller than this, in millimetres: not every engraver can cut them. */
export const PLAQUE_LETTERS_SMALL_MM = 3

/** URLs in one sitemap file, below the 50,000 that search engines accept. */
export const SITEMAP_PAGE = 5000

// The sizes to which the browser shrinks photos are in `shrink-photo.ts`, which pages load before this file.

/** The poster frame that the browser takes from a video: longest side in pixels, target bytes, JPEG qualities. */
export const POSTER_SIDE_PX = 1280
export const POSTER_SENT_BYTES = 150_000
export const POSTER_QUALITIES = [0.8, 0.6, 0.4] as const
/** Bits per second of an in-page recording. Ten minutes take 2.4 MB as Opus; AAC needs twice the bit rate. */
export const VOICE_BITS = { opus: 32_000, aac: 64_000 } as const
/** Longest in-page recording in seconds for people without a contributor quota. */
export const VOICE_MAX_SEC = 3600

export const SESSION_EXPIRES_MS = 30 * DAY_MS
export const SESSION_RENEW_AFTER_MS = 1 * DAY_MS
export const SESSION_ABSOLUTE_MS = 90 * DAY_MS
/** How long somebody counts as there after they gave their password or passkey, for changes of how they sign in. */
export const CONFIRMED_FOR_MS = 5 * MINUTE_MS
/** How long a browser has to answer a question for a passkey. */
export const CHALLENGE_EXPIRES_MS = 5 * MINUTE_MS
export const PASSKEYS_MAX = 10
/** How long an admin's second factor counts in the session in which it was used. */
export const CONSOLE_OPEN_MS = 12 * HOUR_MS
/** Codes that are printed at once, and replaced at once. */
export const PRINTED_CODES = 10
/** Longer than any code that somebody types with spaces or hyphens. */
export const PRINTED_CODE_TYPED_MAX = 40
export const PASSKEY_NAME_MAX = 60
/** Newest sessions that the list of an account names; "End all others" ends the rest too. */
export const SESSIONS_LISTED_MAX = 50
/** How long a browser is recognised as one that signed in to an account, so that guesses from elsewhere don't lock it out. */
export const KNOWN_DEVICE_EXPIRES_MS = 365 * DAY_MS
export const CONTRIBUTOR_SESSION_EXPIRES_MS = 180 * DAY_MS
/** Visitors can take their words back for as long as the browser keeps the cookie. Browsers keep none longer than 400 days. */
export const VISITOR_SESSION_EXPIRES_MS = 400 * DAY_MS
export const VERIFY_TOKEN_EXPIRES_MS = 1 * DAY_MS
/** Registrations of one address that wait for their link to be opened; older ones make room. */
export const OPEN_REGISTRATIONS_MAX = 5
/** A change of mail address: both links, and then the link that undoes it. */
export const EMAIL_CHANGE_LINK_EXPIRES_MS = 1 * DAY_MS
export const EMAIL_UNDO_EXPIRES_MS = 7 * DAY_MS
export const RESET_TOKEN_EXPIRES_MS = 1 * HOUR_MS
/** A code by which a relative is known again on a new phone: digits, lifetime from when it is mailed, wrong tries that end it. */
export const CODE_DIGITS = 6
export const CODE_EXPIRES_MS = 15 * MINUTE_MS
export const CODE_TRIES_MAX = 5
/** How long the browser that asked for it can wait for the mail. */
export const CODE_REQUEST_EXPIRES_MS = 1 * HOUR_MS
export const UNVERIFIED_ACCOUNT_EXPIRES_MS = 7 * DAY_MS
/** How far ahead `security.txt` sets its expiry date. RFC 9116 recommends less than a year. */
export const SECURITY_TXT_EXPIRES_MS = 180 * DAY_MS
export const DELETED_RESTORABLE_MS = 30 * DAY_MS
/**
 * How long records of finished work are kept: sent mails, idempotency keys. Not less than a contributor's session, so that no
 * one can repeat a call whose key is gone.
 */
export const RECORDS_KEPT_MS = 180 * DAY_MS
/** Things that one contributor removed and can restore; the one removed first goes for good first. */
export const REMOVED_PER_CONTRIBUTOR_MAX = 20
export const REMOVED_PAGE = 20
/** Held media items, and held comments, that one answer lists; and ids that one call shows. */
export const HELD_PAGE = 20
/** Media items, and comments, that the list shows of each rule: the newest, because thousands can be alike. */
export const HELD_GROUP = 3
export const HELD_SHOWN_MAX = 100
/** Different people whose reports hide an item until the family has looked. */
export const REPORTS_TO_FOLD = 3
/** Code points of what somebody adds to a report. */
export const REPORT_WORDS_MAX = 300
/** Reported items that one answer lists, and words of reporters with each. */
export const REPORTED_PAGE = 20
export const REPORT_WORDS_LISTED = 10
/** After this time admins see what a family has left. */
export const REPORTS_LEFT_AFTER_MS = 7 * DAY_MS
/** Contributors that one page of their list reads; those who added nothing are left out of it. */
export const CONTRIBUTORS_PAGE = 100
/** Newest invitation links of a memorial in that list. */
export const LINKS_LISTED_MAX = INVITATIONS_MAX + 20
/** Memorials, and accounts, that one run of the purge deletes permanently. */
export const PURGE_BATCH = 25
/** Rows of media, or comments, that an export reads per query. */
export const EXPORT_PAGE = 200
/** Largest part of an export, unless one video alone is larger. A broken connection costs at most one part. */
export const EXPORT_PART_BYTES = 500 * MB
/** Larger memorials are exported in parts only: a Worker has 30 s of CPU per response (docs/decisions/0032). */
export const EXPORT_WHOLE_MAX_BYTES = 2300 * MB

/** Limits of the rate limiter, a Durable Object, so worldwide. Limits per IP address are in wrangler.toml. */
export const RATE_LIMITS = {
  /**
   * Wrong passwords, per known device, per session, or per account and network. After ten in 15 minutes each further one
   * makes the next wait longer.
   */
  loginFailures: {
    limit: 10,
    windowMs: 15 * MINUTE_MS,
    delaysMs: [1, 2, 5, 15, 30, 60].map((minutes) => minutes * MINUTE_MS),
  },
  /** Wrong passwords per account, from all unknown devices together. */
  unknownDeviceFailures: { limit: 30, windowMs: HOUR_MS },
  /** Wrong printed codes, per account and network. They have 80 random bits, so all networks together need no limit. */
  printedCodeFailures: {
    limit: 10,
    windowMs: 15 * MINUTE_MS,
    delaysMs: [1, 2, 5, 15, 30, 60].map((minutes) => minutes * MINUTE_MS),
  },
  /** Wrong codes of an authenticator app, per admin: a guess is right in 3 of a million. */
  authenticatorFailures: { limit: 5, windowMs: 15 * MINUTE_MS },
  authenticatorFailuresADay: { limit: 20, windowMs: DAY_MS },
  /** Per mailbox and IP network: a stranger can't use up the owner's. */
  verificationMails: { limit: 3, windowMs: HOUR_MS },
  /** Per address, from all networks together. */
  verificationMailsToAddress: { limit: 20, windowMs: HOUR_MS },
  /** Per mailbox. */
  resetMails: { limit: 3, windowMs: HOUR_MS },
  /** Per account: requests for another mail address. */
  emailChanges: { limit: 5, windowMs: DAY_MS },
  /** Per mailbox: "you already have an account". */
  alreadyRegisteredMails: { limit: 1, windowMs: DAY_MS },
  /** Per sender. */
  contactMessages: { limit: 3, windowMs: HOUR_MS },
  /** Breaker over all mail that strangers can cause, per kind of mail: above it, mails wait. */
  strangersMails: { limit: 3000, windowMs: HOUR_MS },
  /** Per contributor. The owner's comments don't count. */
  comments: { limit: 10, windowMs: MINUTE_MS },
  /** Per contributor. */
  commentsADay: { limit: 200, windowMs: DAY_MS },
  /** Per invitation link, for all its contributors: a new link resets it. */
  guestbookADay: { limit: 1000, windowMs: DAY_MS },
  /** Per network and browser, at one memorial: messages from visitors of the public page. */
  visitorMessages: { limit: 20, windowMs: 10 * MINUTE_MS },
  /** The same per network, whatever the browser says of itself. */
  visitorMessagesADay: { limit: 200, windowMs: DAY_MS },
  /** Per memorial, and per network for all memorials: beyond it, messages from visitors are a burst and need a proof of work. */
  visitorBurst: { limit: 30, windowMs: 10 * MINUTE_MS },
  visitorBurstADay: { limit: 100, windowMs: DAY_MS },
  visitorBurstOfNetwork: { limit: 20, windowMs: HOUR_MS },
  /** Fewer than a memorial's, so that no network alone puts one in a burst. */
  visitorBurstOfNetworkADay: { limit: 60, windowMs: DAY_MS },
  /** In a burst, per network and browser at one memorial, until one of its messages is proven; and per network. */
  unprovenMessages: { limit: 5, windowMs: DAY_MS },
  unprovenOfNetwork: { limit: 20, windowMs: DAY_MS },
  /** The same per range of 256 IPv4 addresses, which one customer can rent. */
  unprovenOfRange: { limit: 100, windowMs: DAY_MS },
  unprovenOfMemorial: { limit: 5000, windowMs: DAY_MS },
  /** Per memorial: messages that a proof of work takes out of a burst; the others stay held. */
  provenADay: { limit: 300, windowMs: DAY_MS },
  /** Per session, or per network and browser: reports of messages and media. */
  reports: { limit: 10, windowMs: HOUR_MS },
  /** The same per network. */
  reportsOfNetwork: { limit: 30, windowMs: DAY_MS },
  /** The same per memorial: as many as a family can read. */
  reportsOfMemorial: { limit: 100, windowMs: DAY_MS },
  /** Per mailbox: links by which visitors take their words back. */
  visitorWordsMails: { limit: 3, windowMs: HOUR_MS },
  /** Codes by which a relative is known again: asked for per memorial and network, for addresses that are found or not. */
  codeRequests: { limit: 10, windowMs: HOUR_MS },
  /** The same per network, at all memorials: a mobile network can have one address for a city. */
  codeRequestsOfNetwork: { limit: 100, windowMs: HOUR_MS },
  /** The same per memorial. */
  codeRequestsOfMemorial: { limit: 60, windowMs: HOUR_MS },
  /** Codes mailed, per memorial and mailbox. Each can be guessed at five times: at most 30 guesses a day, of a million. */
  codeMails: { limit: 3, windowMs: HOUR_MS },
  codeMailsADay: { limit: 6, windowMs: DAY_MS },
  /** The same per mailbox, at all memorials. */
  codeMailsToMailbox: { limit: 10, windowMs: HOUR_MS },
  /** Requests to be let in, per memorial and network; and per network. */
  letInRequests: { limit: 5, windowMs: DAY_MS },
  letInRequestsOfNetwork: { limit: 30, windowMs: DAY_MS },
  /** Per memorial: people let in, each of whom gets a mail. */
  letIns: { limit: 100, windowMs: DAY_MS },
  /** Wrong PINs of an invitation, per network: a mobile network can have one address for a city. */
  wrongPinsOfNetwork: { limit: 10, windowMs: 15 * MINUTE_MS },
  /** The same for all networks: four digits take a year. */
  wrongPins: { limit: 30, windowMs: DAY_MS },
  /** Requests for mails about a memorial: per memorial and network, per network at all memorials, and per memorial. */
  follows: { limit: 10, windowMs: HOUR_MS },
  followsOfNetwork: { limit: 100, windowMs: HOUR_MS },
  followsOfMemorial: { limit: 3000, windowMs: DAY_MS },
  /** Questions that such requests mail, per memorial and mailbox, and per mailbox. */
  followMails: { limit: 2, windowMs: DAY_MS },
  followMailsToMailbox: { limit: 5, windowMs: DAY_MS },
  /** Per memorial: invitations to look after it, of which each may mail an address. */
  keeperInvites: { limit: 30, windowMs: DAY_MS },
  /** Per mailbox, from all owners together: such invitations, and mails to whom an owner has named. */
  keepingMailsToMailbox: { limit: 3, windowMs: DAY_MS },
  /** Per memorial: offers to hand it over, each of which mails a keeper. */
  handovers: { limit: 10, windowMs: DAY_MS },
  /** Per memorial: people named to ask for it. */
  successors: { limit: 10, windowMs: DAY_MS },
  /** Per account: requests for memorials of others. */
  successorRequests: { limit: 10, windowMs: DAY_MS },
  /** Per network and browser, at one memorial: replies sent and changed. */
  replies: { limit: 60, windowMs: 10 * MINUTE_MS },
  /** The same per network, whatever the browser says of itself. */
  repliesADay: { limit: 200, windowMs: DAY_MS },
  /** The same per memorial. */
  repliesOfMemorial: { limit: 3000, windowMs: DAY_MS },
  /** Per network, at all memorials: replies with an address, each of which mails it. */
  repliesWithAddress: { limit: 200, windowMs: DAY_MS },
  /** Per memorial: how often those who come are told of changes. */
  tells: { limit: 30, windowMs: DAY_MS },
  /** Per mailbox: confirmations of replies. As many as a memorial has gatherings. */
  replyMails: { limit: FUNERAL_EVENTS_MAX + LATER_GATHERINGS_MAX, windowMs: HOUR_MS },
  /** Per mailbox: changes of gatherings. Many replies can name one address. */
  gatheringMails: { limit: 2 * (FUNERAL_EVENTS_MAX + LATER_GATHERINGS_MAX), windowMs: HOUR_MS },
  uploads: { limit: 60, windowMs: HOUR_MS },
  /** Per owner, for all memorials together. Each photo is resized several times, which costs money. */
  ownerUploads: { limit: 2000, windowMs: DAY_MS },
  /** Attempts to make one variant of one image on request. */
  pictures: { limit: 3, windowMs: HOUR_MS },
  /** Posters sent for one video. Each is resized several times, which costs money. */
  posters: { limit: 10, windowMs: HOUR_MS },
  /** Removed things restored by one person. Each recounts the memorial's quota. */
  restores: { limit: 300, windowMs: HOUR_MS },
  /** New PaymentIntents per account, against card testing. Reusing an open intent doesn't count. */
  paymentIntents: { limit: 10, windowMs: HOUR_MS },
  /** Calls to pay with a link, per network: nobody signs in for it. */
  linkPayments: { limit: 30, windowMs: HOUR_MS },
  /** Links that one account sends around. */
  payLinks: { limit: 20, windowMs: HOUR_MS },
  /** Gifts begun per network. */
  gifts: { limit: 20, windowMs: HOUR_MS },
  /** Codes of gifts tried, per account. */
  giftCodes: { limit: 20, windowMs: HOUR_MS },
  /** Requests to one phone, whoever sends them. */
  phoneRequests: { limit: 5, windowMs: HOUR_MS },
  /** Result posts about one payment. Each new state causes a poll. */
  paynowPosts: { limit: 60, windowMs: HOUR_MS },
  /** Codes of O'mari per account. Paynow itself allows five per payment. */
  paymentCodes: { limit: 20, windowMs: HOUR_MS },
  accountExports: { limit: 5, windowMs: HOUR_MS },
  /** Per owner. Each part counts: a full memorial is exported in 41 parts. */
  memorialExports: { limit: 60, windowMs: HOUR_MS },
  /** Renders per account: each takes about 100 ms of CPU and 20 MB of memory. */
  plaques: { limit: 60, windowMs: HOUR_MS },
  /** Stripe lookups per account. The page polls a few times after each payment. */
  paymentSyncs: { limit: 60, windowMs: 5 * MINUTE_MS },
  /** Cache purge calls. Cloudflare allows 5 a minute for all Workers together. */
  cachePurges: { limit: 5, windowMs: MINUTE_MS },
} as const

/** Repeats of one `Idempotency-Key` that the limits of comments and uploads don't count: a lost line, not another file. */
export const UNCOUNTED_REPEATS = 20

/** Tags in one purge call. */
export const CACHE_TAGS_PER_CALL = 100
/** An urgent purge is repeated after this time. By then every database replica has the change. */
export const CACHE_PURGE_REPEAT_MS = 90 * SECOND_MS

/** Declined cards after which a PaymentIntent is cancelled: more look like somebody who tests stolen cards. */
export const PAYMENT_DECLINES_MAX = 10
export const STRIPE_TIMEOUT_MS = 8 * SECOND_MS
export const STRIPE_RETRIES = 1
/** Paynow often takes seconds; its own plugin waits 45 s. */
export const PAYNOW_TIMEOUT_MS = 25 * SECOND_MS
/** Before another way to pay, open payments are asked about for this long at most. */
export const PAYNOW_BRIEF_CHECK_MS = 6 * SECOND_MS
/** Paynow answers a start within this time, or its answer is lost. Until then a second call for Paynow's page waits. */
export const PAYNOW_START_MS = 30 * SECOND_MS
/** A request to a phone can be answered about this long. Until then no second one is sent. */
export const PHONE_REQUEST_MS = 3 * MINUTE_MS
/** A payment that was started on Paynow's page is opened again for this long, instead of starting another. */
export const WEB_PAYMENT_MS = 30 * MINUTE_MS
/** Nobody asks Paynow about the same payment more often. */
export const PAYNOW_CHECK_GAP_MS = 4 * SECOND_MS
/** Age of a payment -> pause until cron asks Paynow again. Paynow wants few polls and names no number. */
export const PAYNOW_CHECKS: readonly (readonly [ageMs: number, pauseMs: number])[] = [
  [10 * MINUTE_MS, MINUTE_MS],
  [2 * HOUR_MS, 15 * MINUTE_MS],
  [Number.POSITIVE_INFINITY, HOUR_MS],
]
/** An unpaid payment is closed after this time; paid later it counts all the same. */
export const PAYNOW_OPEN_MS = 2 * DAY_MS
/** How long somebody else can pay with a link. */
export const PAY_LINK_EXPIRES_MS = 30 * DAY_MS
/** How long a gift can be redeemed after it was paid. */
export const GIFT_EXPIRES_MS = 5 * 365 * DAY_MS
/** Code points on a gift's letter, and of a family's thanks to whoever paid. */
export const GIFT_WORDS_MAX = 500
export const THANKS_MAX = 500
export const PAYNOW_BODY_MAX_BYTES = 16 * KB
export const WEBHOOK_TOLERANCE_SEC = 300
export const PAYMENT_RECONCILE_AFTER_MS = 15 * MINUTE_MS
/** Payments that one cron run checks with Stripe. */
export const PAYMENT_RECONCILE_BATCH = 25
/** How far back cron looks for missed webhook events. Stripe itself retries for three days. */
export const STRIPE_EVENTS_SINCE_MS = 4 * DAY_MS
/** Events that one such run reads at most. */
export const STRIPE_EVENTS_MAX = 500
export const WEBHOOK_BODY_MAX_BYTES = 256 * KB
export const PAYMENTS_LISTED_MAX = 200

export const TOKENS_BATCH = 50
/** Invitation tokens that one request may generate. */
export const ADMIN_TOKENS_MAX = 500
/** Words that operators add to the lists. Each message is searched for all of them. */
export const WORD_RULES_MAX = 500
export const WORD_RULE_MAX = 60
/** The console warns when fewer invitation tokens than this are available. */
export const LOW_TOKENS = 20
export const ADMIN_PAGE = 20
/** Matches that the console's search lists at most; the newest come first. */
export const SEARCH_MATCHES_MAX = 1000
/** Entries in the console's activity list. */
export const ADMIN_ACTIVITY = 20
/** Days in the console's charts, today included. */
export const OVERVIEW_DAYS = 90
/** Code points of an admin's words to the payer about a refund. */
export const REFUND_NOTE_MAX = 500
/** The same to the owner about the removal of a memorial. */
export const REMOVAL_NOTE_MAX = 500
/** How long the console waits for each system check. */
export const SYSTEM_CHECK_TIMEOUT_MS = 4 * SECOND_MS
/** How long `/api/health` repeats its last result, so that frequent polling costs nothing. */
export const HEALTH_CACHE_MS = 10 * SECOND_MS
/** The same while a part fails: a monitor soon sees that it works again, and a start that the migrations are applied. */
export const HEALTH_FAILED_CACHE_MS = SECOND_MS
/** A health check fails when one binding takes longer than this. */
export const HEALTH_TIMEOUT_MS = 3 * SECOND_MS
/** A longer health check counts as dead, because an aborted request can't report that it stopped. */
export const HEALTH_CHECK_LEASE_MS = HEALTH_TIMEOUT_MS + SECOND_MS
/** Code points of each field of a browser's error report. */
export const CLIENT_ERROR_MAX = { name: 60, message: 200, release: 80 } as const
/** Bytes of the whole error report. */
export const CLIENT_ERROR_BODY_MAX_BYTES = 2 * KB
/** Error reports that one page load sends at most. */
export const CLIENT_ERRORS_PER_PAGE_LOAD = 3
/** Memorials in the console's list of the largest. */
export const LARGEST_MEMORIALS = 10
/** Period over which the console counts failed payments. */
export const FAILED_PAYMENTS_SINCE_MS = 7 * DAY_MS
/** A mail queued longer than this means that mail delivery is stuck. */
export const MAIL_LATE_MS = 15 * MINUTE_MS
/** Mails of low priority that one run sends, once a minute, and how long it may take. 10,000 take less than two hours. */
export const LATER_MAILS_MAX = 100
export const LATER_RUN_MS = 45 * SECOND_MS
/** Attempts to send such a mail, over three hours. */
export const LATER_TRIES_MAX = 10
/** Mails of low priority wait while another has waited so long for its first attempt. */
export const NOW_MAIL_GRACE_MS = 10 * SECOND_MS
/** How long a search box waits for the next keystroke before it sends the query. */
export const SEARCH_DEBOUNCE_MS = 300

export const TOAST_MS = 5000
/** For a notification with a button, such as "Undo". */
export const TOAST_ACTION_MS = 10_000
/** Minimum time a notification stays before the next may replace it: long enough to read. */
export const TOAST_MIN_MS = 1500

/** What the service worker caches on a device for reading offline (docs/decisions/0028). */
export const OFFLINE_MEMORIALS = 10
export const OFFLINE_MAX_BYTES = 30 * MB
/** Cached images of one memorial in bytes. The page loads the others when it is online. */
export const OFFLINE_PICTURES_MAX_BYTES = 8 * MB
export const OFFLINE_PICTURE_MAX_BYTES = 1 * MB
/** Widest image variant that is cached. Offline, it replaces wider ones. */
export const OFFLINE_PICTURE_MAX_WIDTH = 1280
/** Number of cached scripts, styles and fonts, of this and earlier releases. */
export const OFFLINE_ASSETS = 200
/** After this time the service worker shows the cached copy. A later answer still updates the cache. */
export const OFFLINE_AFTER_MS = 5 * SECOND_MS

/** Days for which we keep backups and earlier states of the database, as the privacy page promises. */
export const BACKUP_RETENTION_DAYS = 30

/** Version of the terms that people accept today: the date from which it applies. */
export const TERMS_VERSION = '2025-09-29'
