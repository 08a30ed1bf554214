CREATE TABLE `handovers` (
	`id` text PRIMARY KEY NOT NULL,
	`memorial_id` text NOT NULL,
	`from_user_id` text NOT NULL,
	`to_user_id` text,
	`may_export` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`accepted_at` integer,
	`take_back_until` integer,
	`taken_back_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`memorial_id`) REFERENCES `memorials`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`from_user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`to_user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `handovers_offer` ON `handovers` (`memorial_id`) WHERE "handovers"."accepted_at" is null;--> statement-breakpoint
CREATE INDEX `handovers_memorial` ON `handovers` (`memorial_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `handovers_from` ON `handovers` (`from_user_id`);--> statement-breakpoint
CREATE INDEX `handovers_to` ON `handovers` (`to_user_id`);--> statement-breakpoint
CREATE INDEX `handovers_expires` ON `handovers` (`expires_at`) WHERE "handovers"."accepted_at" is null;--> statement-breakpoint
ALTER TABLE `memorials` ADD `take_back_until` integer;