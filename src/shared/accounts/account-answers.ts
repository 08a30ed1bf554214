/** What only the server says about accounts. Apart from the other messages, which every screen loads. */
export const accountAnswers = {
  invitationsEnded:
    'Every device is signed out, all invitation links of your memorials have ended, and your passkeys and printed codes no longer work. You can make new ones after signing in. Whoever looks after a memorial with you still does: please look at who they are.',
  outEverywhere: 'You have been logged out on every device.',
  loggedIn: 'Welcome back! You have been logged in successfully.',
  restored: 'Welcome back. Your account is here again, and your memorials are as they were.',
  manyMails:
    'We have sent several emails to this address in the last hour. Please open the newest one, or try again later.',
  manyMailsToday: 'We have sent several emails to this address today. Please try again tomorrow.',
  unverified: 'Please confirm your email address first. We can send you a new link.',
  wrongPrintedCode:
    'This address and this code don’t go together, or the code has been used. Please check both, or try another code.',
  suspended: 'This account is suspended. Please contact support.',
  ownName: 'This password is too common. Please don’t use your own name or email address.',
  passwordChanged: 'Your password has been changed. Other devices have been signed out.',
} as const
