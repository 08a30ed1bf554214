import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { WordRule } from '#shared/admin/admin.ts'
import { api } from '#shared/api.ts'
import { WORD_RULE_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { announce } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { SelectField, TextField } from '#client/ui/forms/field.tsx'
import { ActionFailed, LoadError } from '#client/ui/notice.tsx'
import { invalidateAfter } from './admin.queries.ts'
import { RowSkeletons } from './lists.tsx'
import styles from './lists.module.css'

const SECTION = 'word-rules'
const KINDS: Record<WordRule['kind'], string> = { HOLD: 'Hold for the family', ALLOW: 'Never hold' }

/** The words that admins add to the lists in the code, which hold a visitor's message until the family has looked. */
export function WordRules() {
  const { data, error, refetch } = useQuery(endpointQuery(api.adminWords, {}))
  const { save, remove } = useWordChanges()
  return (
    <section aria-labelledby={SECTION}>
      <h2 id={SECTION} tabIndex={-1}>
        Words
      </h2>
      <p className={styles.empty}>{messages.admin.wordsText}</p>
      <AddWord isBusy={save.isPending} onAdd={(rule, done) => save.mutate(rule, { onSuccess: done })} />
      <ActionFailed title={messages.admin.actionFailedTitle} error={save.error ?? remove.error} />
      {!data && !error && <RowSkeletons label="Loading: Words" height="2.5rem" />}
      {error && (
        <LoadError title={messages.admin.listFailedTitle} error={error} onRetry={() => void refetch()} />
      )}
      {data?.words.length === 0 && <p className={styles.empty}>{messages.admin.emptyWords}</p>}
      <ul className={styles.list}>
        {data?.words.map(({ word, kind }) => (
          <li key={word} className={`row spread ${styles.entry}`}>
            <p className={styles.meta}>
              <strong>{word}</strong> · {KINDS[kind]}
            </p>
            <Button
              aria-label={`Remove the word ${word}`}
              isBusy={remove.isPending && remove.variables === word}
              onClick={() => remove.mutate(word)}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The row of a removed word is gone, so the heading takes the focus. */
function useWordChanges() {
  const client = useQueryClient()
  function show(after: { words: WordRule[] }, said: string) {
    client.setQueryData(endpointQuery(api.adminWords, {}).queryKey, after)
    invalidateAfter(client, 'words')
    announce(said)
  }
  const save = useMutation({
    mutationFn: (body: WordRule) => call(api.saveWord, { body }),
    onSuccess: (after) => show(after, messages.admin.wordSaved),
  })
  const remove = useMutation({
    mutationFn: (word: string) => call(api.removeWord, { params: { word } }),
    onSuccess(after) {
      show(after, messages.admin.wordRemoved)
      document.getElementById(SECTION)?.focus()
    },
  })
  return { save, remove }
}

function AddWord({ isBusy, onAdd }: { isBusy: boolean; onAdd: (rule: WordRule, done: () => void) => void }) {
  const [word, setWord] = useState('')
  const [kind, setKind] = useState<WordRule['kind']>('HOLD')
  return (
    <form
      className={`row ${styles.tools}`}
      onSubmit={(event) => {
        event.preventDefault()
        onAdd({ word, kind }, () => setWord(''))
      }}
    >
      <div className={styles.search}>
        <TextField
          label="Word or phrase"
          hint={messages.admin.wordHint}
          required
          maxLength={WORD_RULE_MAX}
          autoCapitalize="none"
          value={word}
          onChange={(event) => setWord(event.target.value)}
        />
      </div>
      <div className={styles.search}>
        <SelectField
          label="What it does"
          value={kind}
          onChange={(event) => setKind(event.target.value === 'ALLOW' ? 'ALLOW' : 'HOLD')}
        >
          {Object.entries(KINDS).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </SelectField>
      </div>
      <Button type="submit" isBusy={isBusy}>
        Add word
      </Button>
    </form>
  )
}
