ALTER TABLE `memorials` ADD `date_of_birth_precision` text DEFAULT 'DAY' NOT NULL;--> statement-breakpoint
ALTER TABLE `memorials` ADD `date_of_death_precision` text DEFAULT 'DAY' NOT NULL;--> statement-breakpoint
ALTER TABLE `memorials` ADD `show_invite_preview` integer DEFAULT false NOT NULL;