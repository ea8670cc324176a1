-- A database of schema 1, as collector 0.1.0 left it: three builds, three installs, two leaks. Frozen.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE app (
  id integer primary key,
  name text not null unique,
  last_seen integer not null,
  newest_release integer,
  leaks integer not null default 0,
  reports integer not null default 0,
  freed integer not null default 0
);
INSERT INTO app VALUES(1,'com.acme.shop',1795266943040,2,2,18,9);
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
  checks integer not null default 0,
  unique (app, version)
);
INSERT INTO "release" VALUES(1,1,'5.1.0',X'020335033101ff352e312e30',1795176000000,1795266943015,6,3,3,3,3,120);
INSERT INTO "release" VALUES(2,1,'5.2.0',X'020335033201ff352e322e30',1795176000000,1795266943040,12,6,3,6,6,240);
CREATE TABLE build (
  id integer primary key,
  release integer not null references release,
  name text not null,
  order_key blob not null,
  unique (release, name)
);
INSERT INTO build VALUES(1,1,'800',X'020538303001ff383030');
INSERT INTO build VALUES(2,2,'811',X'020538313101ff383131');
INSERT INTO build VALUES(3,2,'812',X'020538313201ff383132');
CREATE TABLE release_check (
  release integer not null references release,
  class text not null,
  checks integer not null,
  primary key (release, class)
) without rowid;
INSERT INTO release_check VALUES(1,'CheckoutViewController',120);
INSERT INTO release_check VALUES(2,'CheckoutViewController',240);
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
);
INSERT INTO leak VALUES(1,X'f787679043b2f8bb48a4949c9ac706e3',1,'object','CheckoutViewController','full',0,18,0,3,9,NULL,1795176000000,1795176000000,1,2);
INSERT INTO leak VALUES(2,X'6d47c3c19388eb91c10d85a4ea72a8b6',1,'object','Größe','full',0,0,9,0,0,NULL,1795176000000,1795176000000,1,2);
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
INSERT INTO leak_text VALUES(1,'CheckoutViewController','Shop',X'1655494e617669676174696f6e436f6e74726f6c6c657216436865636b6f757456696577436f6e74726f6c6c6572',X'',X'',1,'CheckoutViewController',X'',replace('checkoutviewcontroller\nshop\nuinavigationcontroller › checkoutviewcontroller','\n',char(10)));
INSERT INTO leak_text VALUES(2,'Größe','Shop',X'',X'',X'',1,'Größe',X'',replace('größe\nshop','\n',char(10)));
CREATE TABLE leak_release (
  id integer primary key,
  leak integer not null references leak on delete cascade,
  release integer not null references release,
  reports integer not null default 0,
  freed integer not null default 0,
  installs integer not null default 0,
  unique (leak, release)
);
INSERT INTO leak_release VALUES(1,1,1,6,0,3);
INSERT INTO leak_release VALUES(2,2,1,0,3,0);
INSERT INTO leak_release VALUES(3,1,2,12,0,3);
INSERT INTO leak_release VALUES(4,2,2,0,6,0);
CREATE TABLE leak_build (
  id integer primary key,
  leak integer not null references leak on delete cascade,
  build integer not null references build,
  reports integer not null default 0,
  freed integer not null default 0,
  installs integer not null default 0,
  unique (leak, build)
);
INSERT INTO leak_build VALUES(1,1,1,6,0,3);
INSERT INTO leak_build VALUES(2,2,1,0,3,0);
INSERT INTO leak_build VALUES(3,1,2,6,0,3);
INSERT INTO leak_build VALUES(4,2,2,0,3,0);
INSERT INTO leak_build VALUES(5,1,3,6,0,3);
INSERT INTO leak_build VALUES(6,2,3,0,3,0);
CREATE TABLE leak_hour (
  leak integer not null references leak on delete cascade,
  hour integer not null,
  release integer not null references release,
  reports integer not null,
  primary key (leak, hour, release)
) without rowid;
INSERT INTO leak_hour VALUES(1,498660,1,6);
INSERT INTO leak_hour VALUES(1,498660,2,12);
CREATE TABLE leak_day (
  leak integer not null references leak on delete cascade,
  day integer not null,
  release integer not null references release,
  reports integer not null,
  primary key (leak, day, release)
) without rowid;
INSERT INTO leak_day VALUES(1,20777,1,6);
INSERT INTO leak_day VALUES(1,20777,2,12);
CREATE TABLE leak_value (
  leak integer not null references leak on delete cascade,
  kind integer not null,
  value text not null,
  reports integer not null,
  primary key (leak, kind, value)
) without rowid;
INSERT INTO leak_value VALUES(1,0,'iOS 19.1',18);
INSERT INTO leak_value VALUES(1,1,'iPhone17,1',18);
CREATE TABLE leak_lived (
  leak integer primary key references leak on delete cascade,
  histogram blob not null
);
INSERT INTO leak_lived VALUES(2,X'7209');
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
INSERT INTO sample VALUES(1,1,1795176000000,'5.1.0','800','iOS 19.1','iPhone17,1',-3848465438864589366,'a',NULL,X'7b226174223a22323032362d31312d32305431323a30303a30305a222c22636c617373223a2253686f702e436865636b6f757456696577436f6e74726f6c6c6572222c22737461636b223a5b2255494e617669676174696f6e436f6e74726f6c6c6572222c2253686f702e436865636b6f757456696577436f6e74726f6c6c6572225d2c22636f756e74223a327d');
INSERT INTO sample VALUES(1099511627777,9,1795176000000,'5.2.0','812','iOS 19.1','iPhone17,1',3349882092070664930,'c',NULL,X'7b226174223a22323032362d31312d32305431323a30303a30305a222c22636c617373223a2253686f702e436865636b6f757456696577436f6e74726f6c6c6572222c22737461636b223a5b2255494e617669676174696f6e436f6e74726f6c6c6572222c2253686f702e436865636b6f757456696577436f6e74726f6c6c6572225d2c22636f756e74223a327d');
INSERT INTO sample VALUES(2199023255553,1,1795176000000,'5.1.0','800','iOS 19.1','iPhone17,1',-3848465438864589366,'a',NULL,X'7b226174223a22323032362d31312d32305431323a30303a30305a222c22636c617373223a2253686f702e436865636b6f757456696577436f6e74726f6c6c6572222c22737461636b223a5b2255494e617669676174696f6e436f6e74726f6c6c6572222c2253686f702e436865636b6f757456696577436f6e74726f6c6c6572225d2c22636f756e74223a327d');
INSERT INTO sample VALUES(3298534883329,2,1795176000000,'5.1.0','800','iOS 19.1','iPhone17,1',4477677635727087946,'b',NULL,X'7b226174223a22323032362d31312d32305431323a30303a30305a222c22636c617373223a2253686f702e436865636b6f757456696577436f6e74726f6c6c6572222c22737461636b223a5b2255494e617669676174696f6e436f6e74726f6c6c6572222c2253686f702e436865636b6f757456696577436f6e74726f6c6c6572225d2c22636f756e74223a327d');
INSERT INTO sample VALUES(4398046511105,3,1795176000000,'5.1.0','800','iOS 19.1','iPhone17,1',3349882092070664930,'c',NULL,X'7b226174223a22323032362d31312d32305431323a30303a30305a222c22636c617373223a2253686f702e436865636b6f757456696577436f6e74726f6c6c6572222c22737461636b223a5b2255494e617669676174696f6e436f6e74726f6c6c6572222c2253686f702e436865636b6f757456696577436f6e74726f6c6c6572225d2c22636f756e74223a327d');
INSERT INTO sample VALUES(5497558138881,4,1795176000000,'5.2.0','811','iOS 19.1','iPhone17,1',-3848465438864589366,'a',NULL,X'7b226174223a22323032362d31312d32305431323a30303a30305a222c22636c617373223a2253686f702e436865636b6f757456696577436f6e74726f6c6c6572222c22737461636b223a5b2255494e617669676174696f6e436f6e74726f6c6c6572222c2253686f702e436865636b6f757456696577436f6e74726f6c6c6572225d2c22636f756e74223a327d');
INSERT INTO sample VALUES(6597069766657,5,1795176000000,'5.2.0','811','iOS 19.1','iPhone17,1',4477677635727087946,'b',NULL,X'7b226174223a22323032362d31312d32305431323a30303a30305a222c22636c617373223a2253686f702e436865636b6f757456696577436f6e74726f6c6c6572222c22737461636b223a5b2255494e617669676174696f6e436f6e74726f6c6c6572222c2253686f702e436865636b6f757456696577436f6e74726f6c6c6572225d2c22636f756e74223a327d');
INSERT INTO sample VALUES(7696581394433,6,1795176000000,'5.2.0','811','iOS 19.1','iPhone17,1',3349882092070664930,'c',NULL,X'7b226174223a22323032362d31312d32305431323a30303a30305a222c22636c617373223a2253686f702e436865636b6f757456696577436f6e74726f6c6c6572222c22737461636b223a5b2255494e617669676174696f6e436f6e74726f6c6c6572222c2253686f702e436865636b6f757456696577436f6e74726f6c6c6572225d2c22636f756e74223a327d');
INSERT INTO sample VALUES(8796093022209,7,1795176000000,'5.2.0','812','iOS 19.1','iPhone17,1',-3848465438864589366,'a',NULL,X'7b226174223a22323032362d31312d32305431323a30303a30305a222c22636c617373223a2253686f702e436865636b6f757456696577436f6e74726f6c6c6572222c22737461636b223a5b2255494e617669676174696f6e436f6e74726f6c6c6572222c2253686f702e436865636b6f757456696577436f6e74726f6c6c6572225d2c22636f756e74223a327d');
INSERT INTO sample VALUES(9895604649985,8,1795176000000,'5.2.0','812','iOS 19.1','iPhone17,1',4477677635727087946,'b',NULL,X'7b226174223a22323032362d31312d32305431323a30303a30305a222c22636c617373223a2253686f702e436865636b6f757456696577436f6e74726f6c6c6572222c22737461636b223a5b2255494e617669676174696f6e436f6e74726f6c6c6572222c2253686f702e436865636b6f757456696577436f6e74726f6c6c6572225d2c22636f756e74223a327d');
INSERT INTO sample VALUES(10995116277761,9,1795176000000,'5.2.0','812','iOS 19.1','iPhone17,1',3349882092070664930,'c',NULL,X'7b226174223a22323032362d31312d32305431323a30303a30305a222c22636c617373223a2253686f702e436865636b6f757456696577436f6e74726f6c6c6572222c22737461636b223a5b2255494e617669676174696f6e436f6e74726f6c6c6572222c2253686f702e436865636b6f757456696577436f6e74726f6c6c6572225d2c22636f756e74223a327d');
CREATE TABLE install_set (
  id integer primary key,
  members blob not null
);
INSERT INTO install_set VALUES(8,X'01e27a50a9032c7d2e4a59390016e8233ecabd1bca128197ca');
INSERT INTO install_set VALUES(9,X'01cabd1bca128197ca');
INSERT INTO install_set VALUES(10,X'01cabd1bca128197ca');
INSERT INTO install_set VALUES(18,X'01cabd1bca128197ca');
INSERT INTO install_set VALUES(25,X'01cabd1bca128197ca');
INSERT INTO install_set VALUES(28,X'01e27a50a9032c7d2e4a59390016e8233ecabd1bca128197ca');
INSERT INTO install_set VALUES(41,X'01cabd1bca128197ca');
CREATE TABLE install_log (
  id integer primary key,
  members blob not null
);
INSERT INTO install_log VALUES(1,X'09000000000000004a59390016e8233e0a000000000000004a59390016e8233e');
INSERT INTO install_log VALUES(2,X'0900000000000000e27a50a9032c7d2e0a00000000000000e27a50a9032c7d2e');
INSERT INTO install_log VALUES(3,X'19000000000000004a59390016e8233e12000000000000004a59390016e8233e');
INSERT INTO install_log VALUES(4,X'1900000000000000e27a50a9032c7d2e1200000000000000e27a50a9032c7d2e');
INSERT INTO install_log VALUES(5,X'29000000000000004a59390016e8233e');
INSERT INTO install_log VALUES(6,X'2900000000000000e27a50a9032c7d2e');
CREATE TABLE app_slot (
  id integer primary key,
  app integer not null references app,
  slot integer not null,
  reports integer not null default 0,
  unique (app, slot)
);
CREATE TABLE dropped (
  app integer not null references app,
  reason text not null,
  count integer not null,
  primary key (app, reason)
) without rowid;
INSERT INTO dropped VALUES(1,'budget',27);
CREATE TABLE idempotency (
  day integer not null,
  key_id integer not null,
  key blob not null,
  hash blob not null,
  at integer not null,
  answer integer not null,
  primary key (day, key_id, key)
) without rowid;
INSERT INTO idempotency VALUES(20778,1,X'016b65792d3830302d61',X'8a3d754f5210de97fa51d728a5c224a0',1795266943009,1);
INSERT INTO idempotency VALUES(20778,1,X'016b65792d3830302d62',X'f23c2daaee2d34b20b5a810f2865cf59',1795266943012,1);
INSERT INTO idempotency VALUES(20778,1,X'016b65792d3830302d63',X'e84beefffcda48b9575c81b0fc36d147',1795266943016,1);
INSERT INTO idempotency VALUES(20778,1,X'016b65792d3831312d61',X'a67e47df4e40d67fb196a250078467b4',1795266943025,1);
INSERT INTO idempotency VALUES(20778,1,X'016b65792d3831312d62',X'97b1e65e6046aaf584e1ce6dd1b99319',1795266943027,1);
INSERT INTO idempotency VALUES(20778,1,X'016b65792d3831312d63',X'd436a8c5302f448d99eebc7c28ef4b67',1795266943033,1);
INSERT INTO idempotency VALUES(20778,1,X'016b65792d3831322d61',X'f2975b682de6d96c957bef8b6b08b253',1795266943034,1);
INSERT INTO idempotency VALUES(20778,1,X'016b65792d3831322d62',X'8eeaf8a285844fd282d5ea61e688a54a',1795266943036,1);
INSERT INTO idempotency VALUES(20778,1,X'016b65792d3831322d63',X'34dc4d00974623ec8fe1f08dff77dbde',1795266943040,1);
CREATE TABLE answer (
  id integer primary key,
  day integer not null,
  body blob not null,
  unique (day, body)
);
INSERT INTO answer VALUES(1,20778,X'7b226163636570746564223a322c226475706c6963617465223a747275652c2272656a6563746564223a5b5d2c2272656a65637465645f636f756e74223a307d');
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
CREATE INDEX release_in_order on release (app, order_key);
CREATE INDEX leak_of_class on leak (app, class);
CREATE INDEX leak_first_release on leak (first_release);
CREATE INDEX leak_release_by_release on leak_release (release);
CREATE INDEX app_slot_in_time on app_slot (slot);
CREATE INDEX credential_opened_by on credential (opened_by) where opened_by is not null;
COMMIT;
