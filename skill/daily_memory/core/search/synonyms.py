"""What developers call the same thing, in English and Chinese: a weak bridge between the two."""

from __future__ import annotations

GROUPS = """
报错 错误 异常 error exception; 接口 api endpoint; 配置 设置 config configuration settings
数据库 database db; 缓存 cache caching; 部署 上线 发布 deploy deployment release
登录 登陆 login signin; 注册 register signup; 认证 鉴权 authentication auth
授权 权限 authorization permission; 令牌 token; 密码 password; 用户 user; 测试 test
单元测试 unittest; 性能 performance; 优化 optimize optimization; 重构 refactor refactoring
调试 debug; 日志 log logging; 依赖 dependency; 超时 timeout; 重试 retry; 并发 concurrency concurrent
线程 thread; 进程 process; 协程 coroutine; 异步 async asynchronous; 队列 queue; 消息 message
事件 event; 回调 callback; 函数 function; 变量 variable; 参数 parameter argument; 类型 type
接收 receive; 请求 request; 响应 response; 服务器 服务端 server; 客户端 client; 前端 frontend
后端 backend; 页面 page; 组件 component; 按钮 button; 样式 style css; 布局 layout
路由 route router routing; 中间件 middleware; 框架 framework; 模块 module; 插件 plugin; 库 library
索引 index; 查询 query; 搜索 检索 search; 排序 sort; 分页 pagination; 事务 transaction
迁移 migration migrate; 备份 backup; 容器 container docker; 镜像 image; 集群 cluster; 网络 network
代理 proxy; 域名 domain; 证书 certificate; 加密 encryption encrypt; 安全 security
漏洞 vulnerability; 内存 memory; 泄漏 泄露 leak; 崩溃 crash; 死锁 deadlock; 连接池 pool; 上传 upload
下载 download; 文件 file; 目录 文件夹 directory folder; 路径 path; 版本 version; 分支 branch
提交 commit; 合并 merge; 冲突 conflict; 脚本 script; 命令 command; 定时任务 cron scheduler
播放器 player; 视频 video; 支付 payment; 订单 order; 架构 architecture; 设计 design
需求 requirement; 文档 documentation docs; 升级 upgrade; 更新 update; 删除 delete remove
监控 monitoring monitor; 告警 报警 alert; 限流 ratelimit throttle; 编码 encoding; 字符串 string
数组 array; 正则 regex; 模板 template; 构建 编译 build compile; 环境 environment env; kubernetes k8s
javascript js; typescript ts; postgresql postgres; cplusplus cpp; repository repo
dictionary dict hashmap; string str; integer int; number num; boolean bool; character char
function func method; argument arg args; directory dir; maximum max; minimum min; length len size
average avg mean; calculate compute calc; image img picture; message msg; temporary temp tmp
column col; dataframe df; attribute attr property; connection conn; context ctx; document doc
initialize init; execute exec
"""


# What developers ask for by its kind and note by its name, without names that are common words.
KINDS = """
package manager, 包管理: pnpm npm yarn pip poetry uv conda cargo maven gradle
database, db, 数据库: postgresql postgres mysql mariadb sqlite mongodb clickhouse dynamodb
message queue, message broker, 消息队列, 消息中间件: kafka rabbitmq rocketmq nats activemq
cache, 缓存: redis memcached
search engine, 搜索引擎: elasticsearch opensearch meilisearch solr
orm: prisma sequelize sqlalchemy gorm hibernate mybatis typeorm
test framework, testing framework, test runner, 测试框架: jest vitest pytest mocha junit playwright
linter, formatter, 格式化工具: eslint prettier ruff biome flake8 pylint stylelint
bundler, build tool, 打包工具, 构建工具: webpack vite rollup esbuild turbopack bazel cmake gradle
frontend framework, 前端框架: react vue svelte angular
web framework, backend framework, 后端框架: django flask fastapi nestjs gin laravel rails
web server, reverse proxy, 反向代理: nginx caddy traefik apache haproxy
orchestration, 编排: kubernetes k8s nomad
ci, 持续集成: jenkins gitlab circleci
monitoring, 监控: prometheus grafana datadog sentry
cloud provider, 云服务商: aws azure gcp aliyun vercel netlify cloudflare 阿里云 腾讯云
"""


def _table() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for listed in GROUPS.replace("; ", "\n").split("\n"):
        group = tuple(listed.split())
        for word in group:
            found[word] = found.get(word, ()) + group
    return found


# Each word with all that it may be called, itself among it.
SYNONYMS = _table()
LONGEST = max(len(word) for word in SYNONYMS if not word.isascii())


def _names() -> dict[str, tuple[str, ...]]:
    lines = (line.partition(": ") for line in KINDS.strip().split("\n"))
    return {kind: tuple(names.split()) for kinds, _, names in lines for kind in kinds.split(", ")}


# Each kind of things with what such things are called.
NAMES = _names()
