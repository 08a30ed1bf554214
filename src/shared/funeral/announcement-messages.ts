/** Sentences on cards to forward and in their dialog; apart from the others, because few screens need them. */
export const announcementMessages = {
  cancelled: (title: string) => `Cancelled: ${title}`,
  changed: (to: string) => `Changed: now ${to}`,
  more: (count: number) => `and ${count} more: see the link`,
  timesCanChange: 'Times can change: see the link',
  story: 'Their story and photos: see the link',
  watch: (host: string) => `Watch from afar: ${host}, by the link below`,
  dress: 'Dress:',
  bring: 'Please bring:',
  latest: 'Times can change. What’s true now is here:',
  page: 'Their page:',
  copiedTitle: 'Text copied',
  copyFailedText: 'Please select the text and copy it by hand.',
  needsInvitation:
    'The link on the card asks for an invitation. Send your invitation link separately to those who may see the memorial.',
  stillPrivate: 'Only you can open the link on the card until you share the memorial.',
  loadFailedTitle: 'The gatherings could not be loaded',
  pictureFailedTitle: 'The picture could not be made',
  pictureFailed: 'Please try again later, or send the text.',
  tooManyPictures: 'Please try again in an hour, or send the text.',
} as const
