import { Suspense, useState, type ReactNode } from 'react'
import { Disclosure } from './disclosure.tsx'
import { Skeleton } from './page.tsx'

/** A disclosure that few people open: what is inside loads when they do. `height`: about what it takes then. */
export function LateDisclosure({
  title,
  height = '5rem',
  children,
}: {
  title: string
  height?: string
  children: ReactNode
}) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Disclosure title={title} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      {isOpen && <Suspense fallback={<Skeleton height={height} />}>{children}</Suspense>}
    </Disclosure>
  )
}
