import styles from './features.module.css'

/** What a memorial does. */
const FEATURES = [
  {
    title: 'You decide who sees it',
    text: 'Keep it private, open it to people you invite, or let anyone with the link see it. One invitation is enough for the whole family.',
  },
  {
    title: 'A code on the stone',
    text: 'Mark the place of the grave, and put a code there that opens the memorial. Plaques are currently shipped to Zimbabwe.',
  },
  {
    title: 'The funeral, for everyone',
    text: 'Relatives see where and when, add each service to their calendar, get directions and read the programme.',
  },
  {
    title: 'Their life story',
    text: 'Write it at your own pace, a few lines at a time. You can change it later.',
  },
  {
    title: 'Photos, voices and messages',
    text: 'Family and friends add photos, videos and recordings from their own phones, and write in the guestbook.',
  },
  {
    title: 'Kept for good',
    text: 'You pay once. The memorial stays, at the same address, for the grandchildren to find.',
  },
] as const

/** The six features as a plain list with headings. */
export function Features() {
  return (
    <ul className={styles.list}>
      {FEATURES.map(({ title, text }) => (
        <li key={title} className={styles.item}>
          <h3>{title}</h3>
          <p>{text}</p>
        </li>
      ))}
    </ul>
  )
}
