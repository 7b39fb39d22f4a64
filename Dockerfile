# `intent` for who would rather not install it. Built and run in a copy of the repository:
#
#   docker build -t intent .                                      what reads, labels, compares and draws
#   docker build -t intent --build-arg EXTRAS=view,sandbox .      with extras (docs/installation.md)
#   docker run --rm -v "$PWD:/work" --user "$(id -u):$(id -g)" intent label games.csv
#
# PIP_ARGS are further options for pip, such as an index of CPU builds of torch for EXTRAS=train.

ARG PYTHON=3.11

FROM python:${PYTHON}-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
ARG EXTRAS=""
ARG PIP_ARGS=""
WORKDIR /src
COPY . .
RUN python -m venv /opt/intent \
 && /opt/intent/bin/python -m pip install ${PIP_ARGS} -c constraints.txt ".${EXTRAS:+[${EXTRAS}]}" \
 && /opt/intent/bin/intent --version

FROM python:${PYTHON}-slim
COPY --from=build /opt/intent /opt/intent
COPY LICENSE NOTICE /usr/share/doc/intent/
RUN useradd --create-home --uid 10001 intent \
 && install --directory --owner=intent /work
ENV PATH=/opt/intent/bin:$PATH MPLCONFIGDIR=/tmp/matplotlib INTENT_CACHE=/tmp/intent
USER 10001
WORKDIR /work
ENTRYPOINT ["intent"]
CMD ["--help"]
