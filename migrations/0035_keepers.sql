CREATE TABLE `keeper_invites` (
	`id` text PRIMARY KEY NOT NULL,
	`memorial_id` text NOT NULL,
	`role` text NOT NULL,
	`may_export` integer NOT NULL,
	`email` text,
	`token_hash` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`memorial_id`) REFERENCES `memorials`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `keeper_invites_token` ON `keeper_invites` (`token_hash`);--> statement-breakpoint
CREATE INDEX `keeper_invites_memorial` ON `keeper_invites` (`memorial_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `keeper_invites_expires` ON `keeper_invites` (`expires_at`);--> statement-breakpoint
CREATE TABLE `keepers` (
	`contributor_id` text PRIMARY KEY NOT NULL,
	`memorial_id` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	`may_export` integer DEFAULT false NOT NULL,
	`seen_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`contributor_id`) REFERENCES `contributors`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`memorial_id`) REFERENCES `memorials`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `keepers_memorial` ON `keepers` (`memorial_id`,`user_id`);--> statement-breakpoint
CREATE INDEX `keepers_user` ON `keepers` (`user_id`);