-- A database of schema 2: that of schema 1, brought up to date, with ten minutes of the last day. Frozen.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE answer (
  id integer primary key,
  day integer not null,
  body blob not null,
  unique (day, body)
);
INSERT INTO "answer" VALUES(1,20778,X'7B226163636570746564223A322C226475706C6963617465223A747275652C2272656A6563746564223A5B5D2C2272656A65637465645F636F756E74223A307D');
CREATE TABLE app (
  id integer primary key,
  name text not null unique,
  last_seen integer not null,
  newest_release integer,
  leaks integer not null default 0,
  reports integer not null default 0,
  freed integer not null default 0
, made_by integer, cells integer not null default 0, text_bytes integer not null default 0);
INSERT INTO "app" VALUES(1,'com.acme.shop',1795266943040,2,2,18,9,NULL,6,193);
CREATE TABLE app_slot (
  id integer primary key,
  app integer not null references app,
  slot integer not null,
  reports integer not null default 0,
  unique (app, slot)
);
INSERT INTO "app_slot" VALUES(1,1,2991948,4);
CREATE TABLE beyond (
  app integer not null references app,
  name text not null,
  count integer not null,
  primary key (app, name)
) without rowid;
CREATE TABLE build (
  id integer primary key,
  release integer not null references release,
  name text not null,
  order_key blob not null,
  unique (release, name)
);
INSERT INTO "build" VALUES(1,1,'800',X'020538303001FF383030');
INSERT INTO "build" VALUES(2,2,'811',X'020538313101FF383131');
INSERT INTO "build" VALUES(3,2,'812',X'020538313201FF383132');
CREATE TABLE credential (
  id integer primary key autoincrement,
  purpose text not null,
  name text not null,
  hash blob not null unique,
  app text,
  created_at integer not null,
  expires_at integer,
  revoked_at integer,
  opened_by integer
);
CREATE TABLE dropped (
  app integer not null references app,
  reason text not null,
  count integer not null,
  primary key (app, reason)
) without rowid;
INSERT INTO "dropped" VALUES(1,'budget',27);
CREATE TABLE idempotency (
  day integer not null,
  key_id integer not null,
  key blob not null,
  hash blob not null,
  at integer not null,
  answer integer not null,
  primary key (day, key_id, key)
) without rowid;
INSERT INTO "idempotency" VALUES(20778,1,X'016B65792D3830302D61',X'8A3D754F5210DE97FA51D728A5C224A0',1795266943009,1);
INSERT INTO "idempotency" VALUES(20778,1,X'016B65792D3830302D62',X'F23C2DAAEE2D34B20B5A810F2865CF59',1795266943012,1);
INSERT INTO "idempotency" VALUES(20778,1,X'016B65792D3830302D63',X'E84BEEFFFCDA48B9575C81B0FC36D147',1795266943016,1);
INSERT INTO "idempotency" VALUES(20778,1,X'016B65792D3831312D61',X'A67E47DF4E40D67FB196A250078467B4',1795266943025,1);
INSERT INTO "idempotency" VALUES(20778,1,X'016B65792D3831312D62',X'97B1E65E6046AAF584E1CE6DD1B99319',1795266943027,1);
INSERT INTO "idempotency" VALUES(20778,1,X'016B65792D3831312D63',X'D436A8C5302F448D99EEBC7C28EF4B67',1795266943033,1);
INSERT INTO "idempotency" VALUES(20778,1,X'016B65792D3831322D61',X'F2975B682DE6D96C957BEF8B6B08B253',1795266943034,1);
INSERT INTO "idempotency" VALUES(20778,1,X'016B65792D3831322D62',X'8EEAF8A285844FD282D5EA61E688A54A',1795266943036,1);
INSERT INTO "idempotency" VALUES(20778,1,X'016B65792D3831322D63',X'34DC4D00974623EC8FE1F08DFF77DBDE',1795266943040,1);
CREATE TABLE idempotency_use (
  day integer not null,
  key_id integer not null,
  keys integer not null,
  answers integer not null,
  primary key (day, key_id)
) without rowid;
INSERT INTO "idempotency_use" VALUES(20778,1,9,1);
CREATE TABLE install_log (
  id integer primary key,
  members blob not null
);
INSERT INTO "install_log" VALUES(1,X'09000000000000004A59390016E8233E0A000000000000004A59390016E8233E');
INSERT INTO "install_log" VALUES(2,X'0900000000000000E27A50A9032C7D2E0A00000000000000E27A50A9032C7D2E');
INSERT INTO "install_log" VALUES(3,X'19000000000000004A59390016E8233E12000000000000004A59390016E8233E');
INSERT INTO "install_log" VALUES(4,X'1900000000000000E27A50A9032C7D2E1200000000000000E27A50A9032C7D2E');
INSERT INTO "install_log" VALUES(5,X'29000000000000004A59390016E8233E');
INSERT INTO "install_log" VALUES(6,X'2900000000000000E27A50A9032C7D2E');
CREATE TABLE install_set (
  id integer primary key,
  members blob not null
);
INSERT INTO "install_set" VALUES(8,X'01E27A50A9032C7D2E4A59390016E8233ECABD1BCA128197CA');
INSERT INTO "install_set" VALUES(9,X'01CABD1BCA128197CA');
INSERT INTO "install_set" VALUES(10,X'01CABD1BCA128197CA');
INSERT INTO "install_set" VALUES(18,X'01CABD1BCA128197CA');
INSERT INTO "install_set" VALUES(25,X'01CABD1BCA128197CA');
INSERT INTO "install_set" VALUES(28,X'01E27A50A9032C7D2E4A59390016E8233ECABD1BCA128197CA');
INSERT INTO "install_set" VALUES(41,X'01CABD1BCA128197CA');
CREATE TABLE leak (
  id integer primary key,
  key blob not null unique,
  app integer not null references app,
  kind text not null,
  class text,
  quality text not null,
  state integer not null default 0,
  reports integer not null default 0,
  freed integer not null default 0,
  installs integer not null default 0,
  sightings integer not null default 0,
  alive_at_most integer,
  first_seen integer not null,
  last_seen integer not null,
  first_release integer not null references release,
  last_release integer not null references release
, impact integer not null default 0, moving integer not null default 0, rank_impact integer not null default 0, rank_reports integer not null default 0, rank_installs integer not null default 0, rank_last_seen integer not null default 0);
INSERT INTO "leak" VALUES(1,X'F787679043B2F8BB48A4949C9AC706E3',1,'object','CheckoutViewController','full',0,18,0,3,9,NULL,1795176000000,1795176000000,1,2,3,0,3,18,3,1795176000000);
INSERT INTO "leak" VALUES(2,X'6D47C3C19388EB91C10D85A4EA72A8B6',1,'object','Größe','full',0,0,9,0,0,NULL,1795176000000,1795176000000,1,2,0,0,0,0,0,1795176000000);
CREATE TABLE leak_build (
  id integer primary key,
  leak integer not null references leak on delete cascade,
  build integer not null references build,
  reports integer not null default 0,
  freed integer not null default 0,
  installs integer not null default 0,
  unique (leak, build)
);
INSERT INTO "leak_build" VALUES(1,1,1,6,0,3);
INSERT INTO "leak_build" VALUES(2,2,1,0,3,0);
INSERT INTO "leak_build" VALUES(3,1,2,6,0,3);
INSERT INTO "leak_build" VALUES(4,2,2,0,3,0);
INSERT INTO "leak_build" VALUES(5,1,3,6,0,3);
INSERT INTO "leak_build" VALUES(6,2,3,0,3,0);
CREATE TABLE leak_day (
  leak integer not null references leak on delete cascade,
  day integer not null,
  release integer not null references release,
  reports integer not null,
  primary key (leak, day, release)
) without rowid;
INSERT INTO "leak_day" VALUES(1,20777,1,6);
INSERT INTO "leak_day" VALUES(1,20777,2,12);
CREATE TABLE leak_hour (
  leak integer not null references leak on delete cascade,
  hour integer not null,
  release integer not null references release,
  reports integer not null,
  primary key (leak, hour, release)
) without rowid;
INSERT INTO "leak_hour" VALUES(1,498660,1,6);
INSERT INTO "leak_hour" VALUES(1,498660,2,12);
CREATE TABLE leak_lived (
  leak integer primary key references leak on delete cascade,
  histogram blob not null
);
INSERT INTO "leak_lived" VALUES(2,X'7209');
CREATE TABLE leak_release (
  id integer primary key,
  leak integer not null references leak on delete cascade,
  release integer not null references release,
  reports integer not null default 0,
  freed integer not null default 0,
  installs integer not null default 0,
  unique (leak, release)
);
INSERT INTO "leak_release" VALUES(1,1,1,6,0,3);
INSERT INTO "leak_release" VALUES(2,2,1,0,3,0);
INSERT INTO "leak_release" VALUES(3,1,2,12,0,3);
INSERT INTO "leak_release" VALUES(4,2,2,0,6,0);
CREATE TABLE leak_text (
  leak integer primary key references leak on delete cascade,
  title text not null,
  module text,
  stack blob not null,
  children blob not null,
  cycle blob not null,
  grouped_version integer not null,
  grouped_class text not null,
  grouped_stack blob not null,
  search text not null
);
INSERT INTO "leak_text" VALUES(1,'CheckoutViewController','Shop',X'1655494E617669676174696F6E436F6E74726F6C6C657216436865636B6F757456696577436F6E74726F6C6C6572',X'',X'',1,'CheckoutViewController',X'','checkoutviewcontroller
shop
uinavigationcontroller › checkoutviewcontroller');
INSERT INTO "leak_text" VALUES(2,'Größe','Shop',X'',X'',X'',1,'Größe',X'','größe
shop');
CREATE TABLE leak_value (
  leak integer not null references leak on delete cascade,
  kind integer not null,
  value text not null,
  reports integer not null,
  primary key (leak, kind, value)
) without rowid;
INSERT INTO "leak_value" VALUES(1,0,'iOS 19.1',18);
INSERT INTO "leak_value" VALUES(1,1,'iPhone17,1',18);
CREATE TABLE release (
  id integer primary key,
  app integer not null references app,
  version text not null,
  order_key blob not null,
  first_seen integer not null,
  last_seen integer not null,
  reports integer not null default 0,
  freed integer not null default 0,
  installs integer not null default 0,
  sessions integer not null default 0,
  leaky_sessions integer not null default 0,
  checks integer not null default 0, leaks integer not null default 0, new_leaks integer not null default 0,
  unique (app, version)
);
INSERT INTO "release" VALUES(1,1,'5.1.0',X'020335033101FF352E312E30',1795176000000,1795266943015,6,3,3,3,3,120,2,2);
INSERT INTO "release" VALUES(2,1,'5.2.0',X'020335033201FF352E322E30',1795176000000,1795266943040,12,6,3,6,6,240,2,0);
CREATE TABLE release_check (
  release integer not null references release,
  class text not null,
  checks integer not null,
  primary key (release, class)
) without rowid;
INSERT INTO "release_check" VALUES(1,'CheckoutViewController',120);
INSERT INTO "release_check" VALUES(2,'CheckoutViewController',240);
CREATE TABLE sample (
  id integer primary key,
  ordinal integer not null,
  at integer not null,
  version text not null,
  build text,
  system text,
  model text,
  install_hash integer,
  install text,
  user text,
  body blob not null
);
INSERT INTO "sample" VALUES(1,1,1795176000000,'5.1.0','800','iOS 19.1','iPhone17,1',-3848465438864589366,'a',NULL,X'7B226174223A22323032362D31312D32305431323A30303A30305A222C22636C617373223A2253686F702E436865636B6F757456696577436F6E74726F6C6C6572222C22737461636B223A5B2255494E617669676174696F6E436F6E74726F6C6C6572222C2253686F702E436865636B6F757456696577436F6E74726F6C6C6572225D2C22636F756E74223A327D');
INSERT INTO "sample" VALUES(1099511627777,9,1795176000000,'5.2.0','812','iOS 19.1','iPhone17,1',3349882092070664930,'c',NULL,X'7B226174223A22323032362D31312D32305431323A30303A30305A222C22636C617373223A2253686F702E436865636B6F757456696577436F6E74726F6C6C6572222C22737461636B223A5B2255494E617669676174696F6E436F6E74726F6C6C6572222C2253686F702E436865636B6F757456696577436F6E74726F6C6C6572225D2C22636F756E74223A327D');
INSERT INTO "sample" VALUES(2199023255553,1,1795176000000,'5.1.0','800','iOS 19.1','iPhone17,1',-3848465438864589366,'a',NULL,X'7B226174223A22323032362D31312D32305431323A30303A30305A222C22636C617373223A2253686F702E436865636B6F757456696577436F6E74726F6C6C6572222C22737461636B223A5B2255494E617669676174696F6E436F6E74726F6C6C6572222C2253686F702E436865636B6F757456696577436F6E74726F6C6C6572225D2C22636F756E74223A327D');
INSERT INTO "sample" VALUES(3298534883329,2,1795176000000,'5.1.0','800','iOS 19.1','iPhone17,1',4477677635727087946,'b',NULL,X'7B226174223A22323032362D31312D32305431323A30303A30305A222C22636C617373223A2253686F702E436865636B6F757456696577436F6E74726F6C6C6572222C22737461636B223A5B2255494E617669676174696F6E436F6E74726F6C6C6572222C2253686F702E436865636B6F757456696577436F6E74726F6C6C6572225D2C22636F756E74223A327D');
INSERT INTO "sample" VALUES(4398046511105,3,1795176000000,'5.1.0','800','iOS 19.1','iPhone17,1',3349882092070664930,'c',NULL,X'7B226174223A22323032362D31312D32305431323A30303A30305A222C22636C617373223A2253686F702E436865636B6F757456696577436F6E74726F6C6C6572222C22737461636B223A5B2255494E617669676174696F6E436F6E74726F6C6C6572222C2253686F702E436865636B6F757456696577436F6E74726F6C6C6572225D2C22636F756E74223A327D');
INSERT INTO "sample" VALUES(5497558138881,4,1795176000000,'5.2.0','811','iOS 19.1','iPhone17,1',-3848465438864589366,'a',NULL,X'7B226174223A22323032362D31312D32305431323A30303A30305A222C22636C617373223A2253686F702E436865636B6F757456696577436F6E74726F6C6C6572222C22737461636B223A5B2255494E617669676174696F6E436F6E74726F6C6C6572222C2253686F702E436865636B6F757456696577436F6E74726F6C6C6572225D2C22636F756E74223A327D');
INSERT INTO "sample" VALUES(6597069766657,5,1795176000000,'5.2.0','811','iOS 19.1','iPhone17,1',4477677635727087946,'b',NULL,X'7B226174223A22323032362D31312D32305431323A30303A30305A222C22636C617373223A2253686F702E436865636B6F757456696577436F6E74726F6C6C6572222C22737461636B223A5B2255494E617669676174696F6E436F6E74726F6C6C6572222C2253686F702E436865636B6F757456696577436F6E74726F6C6C6572225D2C22636F756E74223A327D');
INSERT INTO "sample" VALUES(7696581394433,6,1795176000000,'5.2.0','811','iOS 19.1','iPhone17,1',3349882092070664930,'c',NULL,X'7B226174223A22323032362D31312D32305431323A30303A30305A222C22636C617373223A2253686F702E436865636B6F757456696577436F6E74726F6C6C6572222C22737461636B223A5B2255494E617669676174696F6E436F6E74726F6C6C6572222C2253686F702E436865636B6F757456696577436F6E74726F6C6C6572225D2C22636F756E74223A327D');
INSERT INTO "sample" VALUES(8796093022209,7,1795176000000,'5.2.0','812','iOS 19.1','iPhone17,1',-3848465438864589366,'a',NULL,X'7B226174223A22323032362D31312D32305431323A30303A30305A222C22636C617373223A2253686F702E436865636B6F757456696577436F6E74726F6C6C6572222C22737461636B223A5B2255494E617669676174696F6E436F6E74726F6C6C6572222C2253686F702E436865636B6F757456696577436F6E74726F6C6C6572225D2C22636F756E74223A327D');
INSERT INTO "sample" VALUES(9895604649985,8,1795176000000,'5.2.0','812','iOS 19.1','iPhone17,1',4477677635727087946,'b',NULL,X'7B226174223A22323032362D31312D32305431323A30303A30305A222C22636C617373223A2253686F702E436865636B6F757456696577436F6E74726F6C6C6572222C22737461636B223A5B2255494E617669676174696F6E436F6E74726F6C6C6572222C2253686F702E436865636B6F757456696577436F6E74726F6C6C6572225D2C22636F756E74223A327D');
INSERT INTO "sample" VALUES(10995116277761,9,1795176000000,'5.2.0','812','iOS 19.1','iPhone17,1',3349882092070664930,'c',NULL,X'7B226174223A22323032362D31312D32305431323A30303A30305A222C22636C617373223A2253686F702E436865636B6F757456696577436F6E74726F6C6C6572222C22737461636B223A5B2255494E617669676174696F6E436F6E74726F6C6C6572222C2253686F702E436865636B6F757456696577436F6E74726F6C6C6572225D2C22636F756E74223A327D');
CREATE INDEX release_in_order on release (app, order_key);
CREATE INDEX leak_of_class on leak (app, class);
CREATE INDEX leak_release_by_release on leak_release (release);
CREATE INDEX app_slot_in_time on app_slot (slot);
CREATE INDEX credential_opened_by on credential (opened_by) where opened_by is not null;
CREATE INDEX app_made_by on app (made_by) where made_by is not null;
CREATE INDEX leak_by_impact on leak (app, rank_impact, rank_reports) where moving = 0;
CREATE INDEX leak_by_reports on leak (app, rank_reports) where moving = 0;
CREATE INDEX leak_by_installs on leak (app, rank_installs, rank_reports) where moving = 0;
CREATE INDEX leak_by_last_seen on leak (app, rank_last_seen) where moving = 0;
CREATE INDEX leak_by_first_seen on leak (app, first_seen) where moving = 0;
CREATE INDEX leak_by_first_release on leak (first_release, rank_reports) where moving = 0;
CREATE INDEX leak_moving on leak (app) where moving = 1;
CREATE INDEX sample_in_time on sample (at);
CREATE INDEX leak_by_innermost_class
  on leak (app, substr(class, length(rtrim(class, replace(class, '.', ''))) + 1));
DELETE FROM "sqlite_sequence";
COMMIT;
