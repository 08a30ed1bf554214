/** What pages of the app say in browsers without script. The words on a memorial fit a private one and one that doesn't exist. */
export const withoutScriptMessages = {
  memorialTitle: 'There is no public memorial at this address',
  memorialText:
    'The family may keep the memorial private, or the address may be mistyped. If you were invited, open the link they sent you.',
  memorialSignIn: 'If it is your family’s memorial, turn JavaScript on in this browser, then sign in.',
  title: 'This page needs JavaScript',
  text: 'Please turn it on, or open the link in another browser. If an invitation does not open, ask the family for a new link.',
  notFound:
    'The address may be mistyped, or the page may have moved. If it was the link to a memorial, ask the family for it again.',
  home: 'Return Home',
  tryAgain: 'Try again',
} as const

/** Every sentence that a rule or a screen shows as a result. The voice is that of a calm receptionist. */
export const messages = {
  form: {
    fillAll: 'Please fill in all fields',
    checkFields: 'Please check the marked fields.',
    /** By name of an empty field. */
    missing: {
      firstName: 'Please enter your first name',
      lastName: 'Please enter your last name',
      email: 'Please enter your email address',
      password: 'Please enter a password',
      currentPassword: 'Please enter your current password',
      newPassword: 'Please enter a new password',
      confirmPassword: 'Please enter the password again',
    },
  },
  password: {
    mismatch: 'Passwords do not match',
    tooShort: 'Password must be at least 8 characters long',
    tooLong: 'Password must be 128 characters or less',
    invalidToken: 'Invalid reset token',
  },
  login: {
    failedTitle: 'Login failed',
    fallback:
      "We're having trouble signing you in right now. Please check your email and password, then try again. If the problem continues, please contact support for further assistance.",
    invalid: 'Invalid email or password',
    out: 'You have been logged out.',
    needed: 'Please sign in first.',
  },
  account: {
    nameChanged: 'Your name has been changed.',
    deleted: 'Your account was deleted.',
    notDeletedTitle: 'Nothing was deleted',
    notChangedTitle: 'Nothing was changed',
  },
  logout: {
    failedTitle: 'Logout failed',
  },
  register: {
    failedTitle: 'Registration failed',
    fallback:
      "We're having trouble creating your account right now. Please check your details, then try again. If the problem continues, please contact support for further assistance.",
    success: 'Registration successful! Please check your email to verify your account before logging in.',
  },
  verify: {
    success: 'Your email address is confirmed. You can sign in now.',
    fallback:
      "We're having trouble verifying your email right now. Please open the link from your email again. If the problem continues, please contact support for further assistance.",
    network:
      "We're having trouble connecting right now. Please check your internet connection and try again. If the problem continues, please contact support for further assistance.",
    invalid: 'This link has been used or has expired. Sign in and we’ll send you a new one.',
    failedTitle: 'Email not confirmed',
    newerMail: 'If there is a newer email from us, please open the link in that one.',
    resent: 'If this address is waiting to be confirmed, we have sent a new link.',
  },
  forgot: {
    emailRequired: 'Please enter your email address',
    sent: 'If an account with that email exists, we have sent a password reset link to your email address.',
    failedTitle: 'Failed to send reset email',
    fallback:
      "We're having trouble sending the reset email right now. Please try again in a few minutes. If the problem continues, please contact support for further assistance.",
  },
  reset: {
    failedTitle: 'Password reset failed',
    fallback:
      "We're having trouble resetting your password right now. Your link may have expired: please request a new one and try again.",
    invalid: 'This reset link has been used or has expired. Please request a new one.',
    success: 'Password reset successful! You can now log in with your new password.',
    notEndedTitle: 'The invitations have not ended',
  },
  dashboard: {
    failedTitle: 'Unable to Load Dashboard',
    failedText: 'Your memorials are safe. Check your connection, then try again.',
    emptyTitle: 'No memorials yet',
    emptyText: 'Start with a name. Everything else can wait.',
  },
  payment: {
    failedTitle: 'Payment Failed',
    failedFallback: 'Please try again.',
    errorTitle: 'Payment Error',
    errorFallback: 'Something went wrong. Please try again.',
    cardMissing: 'Card element not found',
    successTitle: 'Payment Successful!',
    successText: 'Your memorial has been activated.',
    goesBack: 'This memorial was paid for already. We’ll refund this payment.',
    processing: 'Processing Payment...',
    pay: 'Pay $60.00 Now',
    required: 'This memorial is not paid for yet. Pay once to share it.',
    alreadyPaid: 'This memorial is paid for already. You have not been charged again.',
    creditWaiting:
      'You have paid already, and your payment will be used for your next memorial. You have not been charged again.',
    creditTitle: 'You have paid already',
    creditUsed: 'The payment you made earlier now pays for this memorial. You have not been charged again.',
    creditForShared:
      'Your earlier payment pays for this memorial when you share it. There is nothing more to pay.',
    notFound: 'This payment could not be found',
    notAvailable: 'Card payment is not available at the moment. Nothing was charged.',
    upstream:
      'We could not reach the card payment service. Nothing was charged. Please try again in a minute.',
    paynowUnavailable: 'Mobile money and Zimbabwean banking are not available here.',
    noMoneyTaken: 'No money was taken.',
    tooManyDeclines:
      'Cards were declined 10 times, so we have stopped this payment. Your bank can tell you why. You can try again with another card.',
    paused:
      'There were too many attempts to pay. Please try again within an hour. Everything you made is safe. If you need help, please contact support.',
    formFailed:
      'The card form could not load. It needs about 200 kB from js.stripe.com. Try again on a better connection. Nothing was charged.',
  },
  memorial: {
    nameRequired: 'Full name is required',
    nameTooLong: 'Full name must be 100 characters or less',
    titleTooLong: 'The sentence must be 200 characters or less',
    dateInvalid: 'Please enter a real date, with day, month and year',
    yearInvalid: 'Please enter the year in four digits',
    precisionInvalid: 'Please choose how exactly the date is known: DAY, MONTH, YEAR or ABOUT',
    storyTooLong: 'The life story must be 50,000 characters or less',
    storyTooMuchMarkup: 'The life story has too much formatting to be saved. Please paste it as plain text.',
    privacyInvalid: 'Please choose Private, Invite-only or Public',
    createFailedTitle: 'Creation Failed',
    createFailedText:
      "We're having trouble creating your memorial right now. Please check the information and try again. If the problem continues, please contact support for further assistance.",
    updateFailedTitle: 'Update Failed',
    updateFailedText:
      "We're having trouble updating your memorial right now. Please check the information and try again. If the problem continues, please contact support for further assistance.",
    createdTitle: 'Memorial Created',
    updatedTitle: 'Memorial Updated',
    storyUpdatedTitle: 'Story Updated',
    privacyUpdatedTitle: 'Privacy Updated',
    tooManyDeleted:
      'You have deleted 10 memorials that were not paid for. Restore one of them, or make a new one when they are gone for good.',
    editedElsewhere:
      'This memorial was changed on another device since you opened it. Nothing was overwritten. Reload to see the changes, then save yours again.',
    private: 'This memorial is private',
    notFound: 'This memorial could not be found',
    locked: 'This memorial is locked. Nobody can add to it at the moment.',
    ownerOnly: 'Only the family member who made this memorial can do this',
    deleted: 'The memorial is deleted. You can bring it back within 30 days.',
    restored: 'The memorial is back, as it was.',
    notDeletedTitle: 'The memorial was not deleted',
    notRestoredTitle: 'The memorial could not be brought back',
    privateTitle: 'Private Memorial',
    deniedTitle: 'Access Denied',
    notFoundTitle: 'Memorial Not Found',
    privateText: 'The family keeps this memorial private. If you were invited, open the link they sent you.',
    notFoundText: 'The address may be mistyped, or the family may have removed it.',
    deniedText: 'This memorial is kept for family and friends. Ask the family for their invitation.',
    loadFailedTitle: 'Unable to Load Memorial',
    loadFailedText: 'The memorial is safe. Check your connection, then try again.',
  },
  wizard: {
    setupIncompleteTitle: 'Setup Incomplete',
    setupIncompleteText: 'Please complete the basic information step first to create your memorial',
    saveFirstTitle: 'Save Memorial First',
    completeStep: 'Complete this step to continue',
    reviewAndFinish: 'Review and finish setup',
    chooseOrKeepPrivate: 'Choose Invite-only or Public, or press “Finish and keep it private”.',
    signedOutTitle: 'You are signed out',
    signedOutText: 'Your words are kept on this device. Sign in to carry on.',
    portraitNotSaved: 'The name is saved, but the portrait didn’t upload. Please try again.',
  },
  programme: {
    pdfOnly: 'Only PDF files are allowed for funeral programs',
    pdfTooLarge: 'Please select a PDF file smaller than 15MB',
  },
  location: {
    chooseWay: 'Choose one of the three ways, or skip this step',
    latitudeInvalid: 'Latitude must be a number from -90 to 90',
    longitudeInvalid: 'Longitude must be a number from -180 to 180',
    noPosition:
      'We can’t find a place in this link. Open it in the map, then copy the full address or the numbers.',
    failedTitle: 'Update Failed',
    failedText: 'Failed to save location details',
    notFound: 'No burial place is shown for this memorial',
  },
  media: {
    imageType: 'Please select a valid image file (JPEG, PNG, or WebP)',
    videoType: 'Please select a valid video file (MP4, MOV, or WebM)',
    audioType: 'Please select a valid audio file (MP3, M4A, or WAV)',
    imageSize: 'Image file size must be less than 50MB',
    videoSize: 'Video file size must be less than 100MB',
    audioSize: 'Audio file size must be less than 50MB',
    profileType: 'Please select an image file',
    profileSize: 'Please select an image smaller than 15MB',
    contributorImageType: 'Please select a valid image file',
    contributorVideoType: 'Please select a valid video file',
    contributorAudioType: 'Please select a valid audio file',
    contributorOtherType: 'Please select a valid image/video/audio file',
    damaged: 'This file is damaged or incomplete and could not be read. Please choose another one.',
    hiddenData:
      'We couldn’t remove hidden data, such as locations, from this file. Please trim it a little on your phone, and add the copy.',
    empty: 'This file is empty. Please choose another one.',
    unreadable: 'This file can no longer be read on this device. Please choose it again.',
    pageOutdated: 'This page is out of date. Please load it again; what is kept on this device is then sent.',
    heldByLine: 'We will continue when the connection is better.',
    heldByOthers: 'Many files are being sent to this memorial now. We will send this one when there is room.',
    aviHint: 'Most phones can’t play this kind of video. If you can, send an MP4.',
    interrupted: 'The file did not arrive whole. Nothing was kept; please send it again.',
    notFound: 'This photo or recording could not be found',
    photoGoneTitle: 'This photo has been removed',
    photoGone: 'The other photos are below.',
    listFailedTitle: 'The list could not be loaded',
    photoFailedTitle: 'The photo could not be loaded',
    invalidFileTitle: 'Invalid File',
    tooManyPhotosTitle: 'Too Many Photos',
    tooLargeTitle: 'File Too Large',
    keepOriginalsTooLarge: 'Without “Keep originals” a smaller copy can be sent.',
    uploadFailedTitle: 'Upload Failed',
    storyOrUploadFailed: 'Failed to save life story or upload media',
    deleteFailedTitle: 'Delete Failed',
    uploadedTitle: 'Media Uploaded',
    uploadSuccessTitle: 'Upload Successful',
    confirmDelete: 'Are you sure you want to delete this media? This action cannot be undone.',
    quotaImages: 'You can add up to 10 photos to a memorial',
    quotaVideo: 'You can add one video of up to 5 minutes to a memorial',
    quotaAudio: 'You can add one recording of up to 10 minutes to a memorial',
    /** Beside the buttons of a kind of which a contributor has added all they can. */
    allAdded: {
      IMAGE: 'You’ve added as many photos as one person can. To add another, delete one first.',
      VIDEO: 'You’ve added your one video. To add another, delete it first.',
      AUDIO: 'You’ve added your one recording. To add another, delete it first.',
    },
    /** For a limit that only files on their way reach. The app then waits and tries again: {@link isBeingSent}. */
    beingSent: {
      IMAGE:
        'A memorial takes 1,000 photos, and the last of them are being sent now. Please try again in a few minutes.',
      VIDEO:
        'A memorial takes 100 videos, and the last of them are being sent now. Please try again in a few minutes.',
      AUDIO:
        'A memorial takes 100 recordings, and the last of them are being sent now. Please try again in a few minutes.',
      bytes: 'Many files are being sent to this memorial now. Please try again in a few minutes.',
    },
    quotaDraftBytes:
      'This memorial holds 1 GB, the most it can before it is paid for. Pay for it once, and it can hold 20 GB.',
    videoTooLong: 'This video is longer than 5 minutes. Please choose a shorter one.',
    audioTooLong: 'This recording is longer than 10 minutes. Please choose a shorter one.',
  },
  /** Recording in the page. */
  voice: {
    refused:
      'This page may not use the microphone. Allow it in the settings of your browser and try again, or record with your phone and choose “Add a recording”.',
    noMicrophone: 'We found no microphone on this device.',
    microphoneBusy: 'The microphone is used by another app. Close it, then try again.',
    notPossible: 'This browser cannot record. Record with your phone instead, and choose “Add a recording”.',
    broken: 'This recording could not be finished. Please try again.',
  },
  comment: {
    required: 'Please write a message',
    tooLong: 'A message can have up to 2,000 characters',
    failedTitle: 'Failed to Post',
    failedText: 'We could not post this. Your words are still on this device.',
    postedTitle: 'Message Posted',
    copyWords: 'Your message was not posted. You can copy your words from here:',
    deletedTitle: 'Message Deleted',
    confirmDelete: 'Are you sure you want to delete this message?',
    notFound: 'This message could not be found',
    notYours: 'You can delete only your own messages',
    dayFull: 'You have written 200 messages today, the most we take. Please write again tomorrow.',
    guestbookFull:
      'This guestbook has taken 1,000 messages today, the most it can. Please try again tomorrow.',
  },
  /** Removed photos, videos, recordings and messages. */
  removed: {
    done: 'Removed.',
    restored: 'Restored.',
    deletedForGood: 'Deleted for good.',
    notRestoredTitle: 'Not restored',
    notFound: 'This can no longer be restored.',
    held: 'The family looks at new things first. Until then, only you and they can see this.',
    heldOfOthers: 'Waiting for you. For now, only you and the person who added it can see this.',
    shown: 'Shown.',
    notShownTitle: 'Not shown',
    nothingFound: 'Nothing was added in that time.',
    confirmPublic: 'Remove this from the page?',
    confirmPublicText: 'Only the family can bring it back, for 30 days.',
  },
  thanks: {
    shown: 'With thanks from the family',
    own: 'This message is the family’s own.',
    failedTitle: 'Your thanks weren’t saved',
  },
  contributor: {
    nameRequired: 'Please enter your name',
    nameOfOwner: 'Please enter your own name.',
    welcomeTitle: 'Welcome!',
    accessErrorTitle: 'Access Error',
  },
  visitors: {
    question: 'May visitors leave messages?',
    choices: {
      NOBODY: { name: 'Nobody', explanation: 'Visitors can only look.' },
      APPROVED: {
        name: 'Yes, after I approve them',
        explanation: 'Each message waits until you’ve read it and chosen to show it.',
      },
      AT_ONCE: {
        name: 'Yes, at once',
        explanation: 'Everyone sees a message as soon as it’s sent. You can remove it.',
      },
    },
    choiceInvalid: 'Please choose who may leave messages',
    choiceNotSavedTitle: 'Your choice about messages wasn’t saved',
    choiceNotSavedText: 'The memorial is public. Please choose again whether visitors may leave messages.',
    relationTooLong: 'Please use at most 60 characters',
    closed: 'This memorial doesn’t take messages from visitors now.',
    dayFull: 'Many people have left words here today. Please try again tomorrow.',
    burst:
      'Very many messages are arriving just now. Please try again tomorrow: your words are still in the form.',
    refusedTitle: 'Your message isn’t there yet',
    hints: {
      NOBODY: '',
      APPROVED: 'The family reads it first, then everyone can.',
      AT_ONCE: 'Everyone who opens the memorial’s page can read it.',
    },
    noCookie: 'Your browser takes no cookies from us, so this page can’t show your words or take them back.',
    isWaiting: 'Waiting for the family',
    isOnPage: 'On the memorial’s page',
    nothingLeft: 'There are no words from this device.',
    readFirst: 'The family reads it first. Come back to this page on this phone to see what became of it.',
    isShown: 'Your words are on the page.',
    receivedTitle: 'Thank you.',
    takenBack: 'Your words are taken back.',
    linkMailed: 'We’re sending you the link by email.',
  },
  telling: {
    question: 'Tell me by email when something waits',
    choices: {
      AT_ONCE: { name: 'At once, then once a day' },
      DAILY: { name: 'Once a day' },
      WEEKLY: { name: 'Once a week' },
      NEVER: { name: 'Never' },
    },
    choiceInvalid: 'Please choose how often we may write',
  },
  invite: {
    invalid: 'This invitation link is no longer valid',
    endedTitle: 'This invitation no longer works.',
    endedText: 'Ask the family for a new link.',
    unsentText:
      'This invitation no longer works. Ask the family for a new link. Anything you had not sent yet stays on this device.',
    privateText: 'The family keeps this memorial private for now. Try your invitation again later.',
    previewTitle: 'An invitation from the family',
    previewText: 'Open it to see the memorial.',
    rotatedTitle: 'New link made',
    rotatedText: 'The old link has stopped working.',
  },
  share: {
    copiedTitle: 'Copied',
    linkCopied: 'Link copied: Memorial link has been copied to clipboard',
    copyFailedTitle: 'Copy Failed',
    cannotShareTitle: 'Cannot Share',
    mustBeLocked: 'Cannot copy link: Memorial must be locked to generate a public link',
    mustBePublic: 'Memorial must be public to share on social media',
    copyInstead: 'Please copy the link instead.',
    qrFailedTitle: 'The QR code could not be made',
    pictureFailedTitle: 'The picture could not be made',
    pictureFailedText: 'Please download the SVG instead.',
    copyFailedText: 'Please select the link and copy it by hand.',
  },
  contact: {
    emailInvalid: 'Please enter a valid email address',
    subjectRequired: 'Subject is required',
    subjectTooLong: 'Subject must be 50 characters or less',
    messageRequired: 'Message is required',
    messageTooLong: 'Message must be 2000 characters or less',
    sentTitle: 'Message Sent',
    sentText: "Your message has been sent successfully. We'll get back to you soon.",
    failedTitle: 'Failed to Send Message',
    memorialRequired: 'Please say which memorial you mean',
    memorialTooLong: 'This must be 200 characters or less',
    whatRequired: 'Please say what should be removed',
    whatTooLong: 'This must be 1500 characters or less',
    removalTitle: 'Ask us to remove something',
    removalFailedTitle: 'Your request wasn’t sent',
    removalSentTitle: 'Request sent',
    removalSentText: 'Thank you. We’ll answer by email.',
    failedFallback: 'Please try again later.',
    tooMany: (supportEmail: string) =>
      `We’ve had 3 messages from this email address within an hour. Please wait a little, or write to ${supportEmail}.`,
  },
  admin: {
    failedTitle: 'Unable to Load Admin Data',
    failedText: 'Nothing was changed. Check your connection, then try again.',
    authenticationRequired: 'Authentication Required',
    authenticationText: 'Sign in with an administrator account.',
    denied: 'Access Denied',
    deniedText:
      'Only people who look after this site can open this page. Your own memorials are on your dashboard.',
    emptyMemorials: 'No memorials found',
    emptyPayments: 'Payment history will be displayed here',
    emptyPaymentsText: 'Card payments and local-payment transactions are listed as soon as there are any.',
    noPaymentsFound: 'No payments found',
    searchHasMore: 'There may be more. Type a longer part of the name or address to find them.',
    emptyActivity: 'Nothing has happened yet.',
    emptyMails: 'Every email has been sent.',
    emptyMessages: 'No message waits for an answer.',
    noneAnswered: 'No message is marked as answered yet.',
    answeredTitle: 'Marked as answered',
    unansweredTitle: 'Moved back to waiting',
    emptyAudit: 'Nothing has been done here yet.',
    listFailedTitle: 'This list could not be loaded',
    actionFailedTitle: 'This did not work',
    lowTokensTitle: 'Low Token Warning',
    removedTitle: 'Memorial removed',
    restoredTitle: 'Memorial restored',
    suspendedTitle: 'Account suspended',
    reinstatedTitle: 'Account reinstated',
    refundedTitle: 'Payment refunded',
    refundAskedTitle: 'Refund requested',
    mailResentTitle: 'Sending the email again',
    teamTitle: 'What our team did here',
    teamText: 'When we help with a memorial, its owner can see what we did.',
    ownerDeleted:
      'The owner of this memorial has deleted their account. It can come back only together with the account.',
    jobResentTitle: 'Trying the job again',
    emptyDeadJobs: 'No job has failed.',
    wordsText:
      'Words that hold a visitor’s message until the family has looked, or that never do. They add to the lists that are built in.',
    wordHint: 'Whole words only. A star stands for any further letters: loan*',
    wordSaved: 'Word added',
    wordRemoved: 'Word removed',
    emptyWords: 'No word has been added.',
    refundNoteRequired: 'Please write the reason. The payer reads it in the email.',
  },
  export: {
    failedTitle: 'The download could not be prepared',
    changed: 'Something was added, changed or deleted in the meantime. Please download all parts again.',
    tooLarge: 'This memorial is too large for one file. Please download it in parts.',
  },
  /** The policy for security researchers: served as plain text beside `security.txt`. */
  security: {
    policy: [
      'Reporting a security problem',
      '',
      'Please write to the address in /.well-known/security.txt. Say what you found, how to see it, and what it could do.',
      'We answer within 3 working days and tell you what we will do. We thank you by name if you wish. There is no reward in money.',
      '',
      'Please use accounts and memorials that you made yourself. Look at no more of other people than you need to show the',
      'problem, keep nothing of it, change and delete nothing. Send no floods of requests and no mail to others. Give us',
      '90 days before you publish. We take no legal steps against anyone who keeps to this in good faith.',
    ].join('\n'),
  },
  system: {
    notFound: 'We can’t find that page',
    pageNotFound: 'Page Not Found',
    tooLarge: 'This is too large to be sent',
    internal: 'Something went wrong on our side. Nothing you wrote is lost; please try again in a minute.',
    notAvailable: 'This is not available at the moment. Please try again later.',
    forbidden: 'You may not do this',
    network:
      "We're having trouble connecting right now. Please check your internet connection and try again.",
    slow: 'This is taking longer than usual. Your connection may be slow.',
    choiceFailedTitle: 'Your choice wasn’t saved',
    choiceLater: 'Saved. It takes effect when you open this page again after your files are sent.',
    screenFailedTitle: 'This page could not be opened',
    screenFailedText: 'Nothing is lost. Check your internet connection, then try again.',
  },
} as const

/** "File size (312 MB) exceeds the maximum allowed size (250 MB)". Sizes in bytes. */
export function fileTooLarge(size: number, max: number): string {
  const [is, may] = [formatBytes(size), formatBytes(max)]
  return `File size (${is === may ? `just over ${is}` : is}) exceeds the maximum allowed size (${may})`
}

/** The user picked a different file than the one whose upload was started. */
export function otherFile(name: string): string {
  return `That is another file. Choose ${name}.`
}

/** "This browser cannot play this video. Save it (18 MB) and open it with the phone’s own player." */
export function cannotPlay(kind: string, bytes: number): string {
  return `This browser cannot play this ${kind}. Save it (${formatBytes(bytes)}) and open it with the phone’s own player.`
}

/** "You can only add 3 more photos". */
export function onlyMorePhotos(left: number): string {
  return `You can only add ${left} more photos`
}

/** "Answered in 12 ms." */
export function systemAnswered(ms: number): string {
  return `Answered in ${ms} ms.`
}

/** "No email is waiting." or "3 emails are waiting, the oldest for 2 minutes. 1 email could not be delivered." */
export function systemMails(mails: {
  queued: number
  waitedMs: number
  dead: number
  /** More were asked for than we send in an hour. */
  isHeldBack: boolean
}): string {
  const { queued, waitedMs, dead, isHeldBack } = mails
  const minutes = Math.floor(waitedMs / 60_000)
  const age = minutes < 1 ? 'less than a minute' : minutes === 1 ? '1 minute' : `${minutes} minutes`
  const waiting =
    queued === 0
      ? 'No email is waiting.'
      : `${queued} ${queued === 1 ? 'email is' : 'emails are'} waiting, the oldest for ${age}.`
  const lost = dead === 0 ? '' : ` ${dead} ${dead === 1 ? 'email' : 'emails'} could not be delivered.`
  const held = isHeldBack ? ' More were asked for than we send in an hour: the rest is sent later.' : ''
  return waiting + lost + held
}

/** "12 invite tokens are left. …": the text under the low token warning. */
export function tokensLeft(count: number): string {
  const left = count === 1 ? '1 invite token is left.' : `${count} invite tokens are left.`
  return `${left} When none is left, a new one is made as a family asks for it.`
}

/** "50 invite tokens made". */
export function tokensMade(count: number): string {
  return count === 1 ? '1 invite token made' : `${count} invite tokens made`
}

/** What somebody adds to a memorial, in the order in which thanks name it, and the word for it. */
const THANKED = { IMAGE: 'photo', VIDEO: 'video', AUDIO: 'voice message', message: 'message' } as const
export type Added = keyof typeof THANKED
export const ADDED = Object.keys(THANKED) as readonly Added[]

/** "Thank you. The family can see your 3 photos and voice message now." */
export function thanksFor(added: readonly Added[]): string {
  const nouns = ADDED.flatMap((kind) => {
    const count = added.filter((other) => other === kind).length
    return count === 0 ? [] : [count === 1 ? THANKED[kind] : `${count} ${THANKED[kind]}s`]
  })
  const last = nouns.pop() ?? ''
  return `Thank you. The family can see your ${nouns.length > 0 ? `${nouns.join(', ')} and ` : ''}${last} now.`
}

/** Refuses a file in a form that has more than `max`. */
export function onlySoManyFiles(max: number): string {
  return `Only ${max} files can be sent at once. Please send this one again.`
}

/** Refuses a password that was not checked; `waitSec` are the seconds until the next try. */
export function tooManyPasswords(waitSec: number): string {
  const minutes = Math.ceil(waitSec / 60)
  const wait = minutes === 1 ? 'a minute' : minutes < 60 ? `${minutes} minutes` : 'an hour'
  return `Too many wrong passwords were tried. Please try again in ${wait}.`
}

/** "4 photos, 1 recording and 12 messages": how much of each kind, without what there is none of. */
export function countsText(counts: Record<'IMAGE' | 'VIDEO' | 'AUDIO' | 'comments', number>): string {
  const nouns = { IMAGE: 'photo', VIDEO: 'video', AUDIO: 'recording', comments: 'message' } as const
  const texts = (['IMAGE', 'VIDEO', 'AUDIO', 'comments'] as const).flatMap((kind) => {
    const count = counts[kind]
    return count === 0 ? [] : [`${count.toLocaleString('en')} ${nouns[kind]}${count === 1 ? '' : 's'}`]
  })
  const last = texts.pop() ?? 'nothing'
  return texts.length > 0 ? `${texts.join(', ')} and ${last}` : last
}

/** "3 photos and 1 recording chosen": what a screen reader says when the file picker has closed. */
export function filesChosen(types: readonly ('IMAGE' | 'VIDEO' | 'AUDIO')[]): string {
  const countOf = (type: (typeof types)[number]) => types.filter((other) => other === type).length
  const counts = { IMAGE: countOf('IMAGE'), VIDEO: countOf('VIDEO'), AUDIO: countOf('AUDIO'), comments: 0 }
  return `${countsText(counts)} chosen`
}

/** After an undo: what had no place in a quota stays removed. */
export function restoredExcept(left: number): string {
  return left === 1 ? 'One has no room now and stays removed.' : `${left} have no room now and stay removed.`
}

/** Label of the button that shows photos in data saver mode; `bytes` is their download size. */
export function photosToShow(count: number, bytes: number): string {
  const photos = count === 1 ? '1 photo' : `${count} photos`
  return `${photos}, about ${formatBytes(bytes)}. Show`
}

/** Bytes in readable form: `1.4 GB`, `312 MB`, `1.2 MB`, `620 kB`, `90 bytes`. 1 MB = 1,048,576 bytes. */
export function formatBytes(bytes: number): string {
  const mb = bytes / (1024 * 1024)
  if (mb >= 1024) return `${Math.round(mb / 102.4) / 10} GB`
  if (mb >= 10) return `${Math.round(mb)} MB`
  if (mb >= 1) return `${Math.round(mb * 10) / 10} MB`
  if (bytes >= 1024) return `${Math.round(bytes / 1024)} kB`
  return `${bytes} bytes`
}

const BEING_SENT: ReadonlySet<string> = new Set(Object.values(messages.media.beingSent))

/** True for the message of a refusal that ends once other files have arrived. */
export function isBeingSent(message: string | null): boolean {
  return message !== null && BEING_SENT.has(message)
}
