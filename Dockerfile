# Debian, since google-re2 has no musl wheel.
FROM python:3.11-slim-bookworm AS build
COPY . /src
RUN ["/src/deploy/image/build", "/src", "/opt/failure-agent"]

# Nothing is written below / at run time but to what settings name, under /var/lib/failure-agent.
FROM python:3.11-slim-bookworm
COPY --from=build /opt/failure-agent /opt/failure-agent
RUN install -d -o 10001 -g 10001 /var/lib/failure-agent
ENV PATH=/opt/failure-agent/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER 10001:10001
WORKDIR /var/lib/failure-agent
VOLUME /var/lib/failure-agent
ENTRYPOINT ["failure-agent"]
CMD ["--help"]
