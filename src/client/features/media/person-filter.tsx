import { SelectField } from '#client/ui/forms/field.tsx'
import styles from './gallery.module.css'

/** Shows what one person added, or everyone. `people` are names, empty for the owner; null is everyone. */
export function PersonFilter({
  people,
  person,
  onChoose,
}: {
  people: readonly string[]
  person: string | null
  onChoose: (person: string | null) => void
}) {
  // The first option stands for everyone, so that no name can be mistaken for it.
  const sorted = people.toSorted((a, b) => a.localeCompare(b))
  return (
    <div className={styles.filter}>
      <SelectField
        label="Added by"
        value={person === null ? -1 : sorted.indexOf(person)}
        onChange={(event) => onChoose(sorted[Number(event.target.value)] ?? null)}
      >
        <option value={-1}>Everyone</option>
        {sorted.map((name, index) => (
          <option key={name} value={index}>
            {name || 'The family'}
          </option>
        ))}
      </SelectField>
    </div>
  )
}
