CREATE TABLE `successions` (
	`memorial_id` text PRIMARY KEY NOT NULL,
	`after_months` integer NOT NULL,
	`said_at` integer NOT NULL,
	`next_at` integer,
	`asking_since` integer,
	`asked_by` text,
	`mails_sent` integer DEFAULT 0 NOT NULL,
	`open_since` integer,
	`held_since` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`memorial_id`) REFERENCES `memorials`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `successions_next` ON `successions` (`next_at`) WHERE "successions"."next_at" is not null;--> statement-breakpoint
CREATE INDEX `successions_asking` ON `successions` (`asking_since`,`memorial_id`) WHERE "successions"."asking_since" is not null;--> statement-breakpoint
CREATE TABLE `successors` (
	`id` text PRIMARY KEY NOT NULL,
	`memorial_id` text NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`memorial_id`) REFERENCES `memorials`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `successors_memorial` ON `successors` (`memorial_id`,`email`);--> statement-breakpoint
ALTER TABLE `users` ADD `seen_at` integer;--> statement-breakpoint
ALTER TABLE `handovers` ADD `is_claim` integer DEFAULT false NOT NULL;