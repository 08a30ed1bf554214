import { Suspense, type ReactNode } from 'react'
import { useDetails } from '#client/lib/use-details.ts'
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
  const { isOpen, details } = useDetails()
  return (
    <Disclosure title={title} {...details}>
      {isOpen && <Suspense fallback={<Skeleton height={height} />}>{children}</Suspense>}
    </Disclosure>
  )
}
