import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useContext, type ComponentProps } from 'react'
import { Composer } from '#client/features/comments/composer.tsx'
import { AskAddress } from '#client/features/invites/ask-address.tsx'
import { AddMedia } from '#client/features/media/add-media.tsx'
import { PlainFormsContext } from '#client/lib/plain-forms.ts'

type Form = 'words' | 'files'

/** The form by which something was added last; the question for an address follows it. */
function useAddedLast(memorialId: string) {
  const client = useQueryClient()
  const { added = [] } = useContext(PlainFormsContext) ?? {}
  const queryKey = ['added-last', memorialId]
  const before: Form = added.length === 0 || added.includes('message') ? 'words' : 'files'
  const { data = before } = useQuery<Form>({ queryKey, queryFn: () => before, enabled: false })
  return { last: data, note: (form: Form) => void client.setQueryData(queryKey, form) }
}

export function AddWords({ onPosted, ...props }: ComponentProps<typeof Composer>) {
  const { memorialId, contributor } = props
  const { last, note } = useAddedLast(memorialId)
  return (
    <>
      <Composer
        {...props}
        onPosted={(comment) => {
          note('words')
          onPosted(comment)
          contributor.refreshQuotas()
        }}
      />
      {last === 'words' && <AskAddress memorialId={memorialId} contributor={contributor} />}
    </>
  )
}

export function AddFiles({ onAdded, ...props }: ComponentProps<typeof AddMedia>) {
  const { memorialId, contributor } = props
  const { last, note } = useAddedLast(memorialId)
  return (
    <>
      <AddMedia
        {...props}
        onAdded={() => {
          note('files')
          onAdded()
        }}
      />
      {last === 'files' && <AskAddress memorialId={memorialId} contributor={contributor} />}
    </>
  )
}
