import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { User } from '#shared/accounts.ts'
import { api } from '#shared/api.ts'
import { ApiError, call } from '#client/lib/call.ts'
import { cameWithoutSession } from '#client/lib/came-without-session.ts'

const currentUserQuery = queryOptions({
  queryKey: [api.currentUser.path],
  // What could not be asked is not asked again by each part of a screen that comes: it would make the screen anew each time.
  retryOnMount: false,
  // The document has answered for itself when it came without a session.
  initialData: () => (cameWithoutSession() ? null : undefined),
  /** 401 is the answer "nobody", not a failure. */
  async queryFn(): Promise<User | null> {
    try {
      return await call(api.currentUser, {})
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null
      throw error
    }
  },
})

/** For a page that is drawn for a visitor of whom nothing is known: nobody is signed in. */
export function knowNobody(client: QueryClient): void {
  client.setQueryData(currentUserQuery.queryKey, null)
}

export type Session = { user: User | null; isLoading: boolean; hasFailed: boolean }

/**
 * Who is signed in: null for nobody; `isLoading` until the server has answered once; `hasFailed` when it did not answer, so
 * that nothing is known.
 */
export function useSession(): Session {
  const { data, isPending, isError } = useQuery(currentUserQuery)
  return { user: data ?? null, isLoading: isPending, hasFailed: isError && !data }
}

/** Asks the server again who is signed in, for after login and logout. */
export function useRefreshSession(): () => Promise<void> {
  const client = useQueryClient()
  return useCallback(() => client.refetchQueries({ queryKey: currentUserQuery.queryKey }), [client])
}

/**
 * Forgets everything that was loaded for the person who signs out; the frame draws itself for nobody at once. What is on the
 * screen would be asked for again, and refused: it is forgotten by a second call, once the screen has changed.
 */
export function useForgetSession(): () => void {
  const client = useQueryClient()
  return useCallback(() => {
    knowNobody(client)
    client.removeQueries({
      type: 'inactive',
      predicate: ({ queryKey }) => queryKey[0] !== api.currentUser.path,
    })
  }, [client])
}

/** First name, falling back to the e-mail address and then to "User" (product spec 2). */
export function nameToGreet(user: User): string {
  return user.firstName || user.email || 'User'
}
