CREATE TABLE `followers` (
	`id` text PRIMARY KEY NOT NULL,
	`memorial_id` text NOT NULL,
	`email` text NOT NULL,
	`invite_token` text,
	`wants_news` integer NOT NULL,
	`wants_birthday` integer NOT NULL,
	`wants_passing` integer NOT NULL,
	`confirmed_at` integer,
	`news_since` integer NOT NULL,
	`told_since` integer NOT NULL,
	`look_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`memorial_id`) REFERENCES `memorials`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`invite_token`) REFERENCES `invite_tokens`(`token`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `followers_confirmed` ON `followers` (`memorial_id`,`email`) WHERE "followers"."confirmed_at" is not null;--> statement-breakpoint
CREATE INDEX `followers_memorial` ON `followers` (`memorial_id`);--> statement-breakpoint
CREATE INDEX `followers_invite` ON `followers` (`invite_token`);--> statement-breakpoint
CREATE INDEX `followers_look` ON `followers` (`look_at`,`id`) WHERE "followers"."look_at" is not null;--> statement-breakpoint
CREATE INDEX `followers_unconfirmed` ON `followers` (`created_at`) WHERE "followers"."confirmed_at" is null;